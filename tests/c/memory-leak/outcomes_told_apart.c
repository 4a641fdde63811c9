// A callee whose outcomes hang on more than its summary can say. Who compares what it gave, and has a way for each answer,
// loses what he holds on the way where he forgets it.
#include "stubs.h"

struct message {
    struct message *next;
    int number, level, state;
};

struct client {
    struct message *out, *in;
    int quota, used, mode;
};

void note(int number);

/* Takes the message of a number out of one of two lists, if its state allows it. */
static int drop_message(struct client *client, int number, int level, int incoming)
{
    struct message *at, *before = NULL;
    for (at = incoming ? client->in : client->out; at; at = at->next) {
        if (at->number == number) {
            if (at->level != level && at->level != 0)
                return 2;
            if (at->state == 3 && client->mode == 1)
                return 2;
            if (at->state > client->quota && client->used != 7 && level != 3)
                return 2;
            if (client->mode == 5 && client->quota == client->used)
                return 2;
            if (before)
                before->next = at->next;
            else if (incoming)
                client->in = at->next;
            else
                client->out = at->next;
            if (client->used > 0 && at->state != 1)
                client->used--;
            else if (client->quota < 20)
                client->quota++;
            note(at->number);
            free(at);
            return 0;
        }
        before = at;
    }
    return 6;
}

int acknowledged_bad(struct client *client, const char *text, int number)
{
    char *reason = strdup(text);        //~ memory-leak "`reason`"
    int status;
    if (!reason)
        return 1;
    status = drop_message(client, number, 1, 0);
    if (status == 0) {
        puts(reason);
        free(reason);
    } else if (status != 6) {
        return status;
    }
    return 0;
}

int acknowledged_ok(struct client *client, const char *text, int number)
{
    char *reason = strdup(text);
    int status;
    if (!reason)
        return 1;
    status = drop_message(client, number, 1, 0);
    if (status == 0)
        puts(reason);
    free(reason);
    return status == 6 ? 0 : status;
}

// What a timer is given belongs to the timer until it fires.
#include "stubs.h"

typedef int (*action)(void *with, int why);

struct timer {
    unsigned long when;
    action act;
    void *with;
    struct timer *later;
};

struct clockwork {
    struct timer *timers;
    int count;
};

struct mail {
    char *to;
    int tries;
};

static int send_mail(void *with, int why) {
    struct mail *mail = with;
    printf("%s %d %d\n", mail->to, mail->tries, why);
    free(mail->to);
    free(mail);
    return 0;
}

static int clockwork_add(struct clockwork *clockwork, unsigned long when, action act, void *with) {
    struct timer *timer;
    if (clockwork->count > 100)
        return -EBUSY;
    timer = malloc(sizeof *timer);
    if (timer == NULL)
        return -ENOMEM;
    timer->when = when;
    timer->act = act;
    timer->with = with;
    timer->later = clockwork->timers;
    clockwork->timers = timer;
    clockwork->count++;
    return 0;
}

void clockwork_fire_ok(struct clockwork *clockwork) {
    struct timer *timer = clockwork->timers;
    if (!timer)
        return;
    clockwork->timers = timer->later;
    timer->act(timer->with, 1);
    free(timer);
}

static struct mail *mail_new(const char *to) {
    struct mail *mail = malloc(sizeof *mail);
    if (!mail)
        return NULL;
    mail->tries = 0;
    mail->to = strdup(to);
    if (!mail->to) {
        free(mail);
        return NULL;
    }
    return mail;
}

int mail_later_ok(struct clockwork *clockwork, const char *to, unsigned long when) {
    struct mail *mail = mail_new(to);
    int error;
    if (!mail)
        return -ENOMEM;
    error = clockwork_add(clockwork, when, send_mail, mail);
    if (error) {
        free(mail->to);
        free(mail);
    }
    return error;
}

int mail_later_bad(struct clockwork *clockwork, const char *to, unsigned long when) {
    struct mail *mail = mail_new(to);    //~ memory-leak
    if (!mail)
        return -ENOMEM;
    return clockwork_add(clockwork, when, send_mail, mail);
}

int mail_later_partly_freed_bad(struct clockwork *clockwork, const char *to, unsigned long when) {
    struct mail *mail = mail_new(to);    //~ memory-leak
    if (!mail)
        return -ENOMEM;
    int error = clockwork_add(clockwork, when, send_mail, mail);
    if (error)
        free(mail);
    return error;
}

// A fixed object stands for "no value" and must never be freed.
#include "stubs.h"

static char empty[] = "";
#define UNSET ((char *)-1)

void sentinel_when_missing_ok(const char *text) {
    char *value = text ? strdup(text) : NULL;
    value = value ? value : empty;
    puts(value);
    if (value != empty)
        free(value);
}

char *sentinel_is_returned_ok(const char *text) {
    char *value = strdup(text);
    return value ? value : empty;
}

int all_ones_sentinel_ok(const char *text) {
    char *value = UNSET;
    if (text)
        value = strdup(text);
    if (value == NULL)
        return -1;
    int set = value != UNSET;
    if (value != UNSET)
        free(value);
    return set;
}

struct setting {
    char *value;
};

static void setting_clear(struct setting *setting) {
    if (setting->value && setting->value != empty)
        free(setting->value);
    setting->value = empty;
}

int sentinel_in_a_field_ok(const char *text) {
    struct setting setting = { empty };
    setting.value = strdup(text);
    if (!setting.value)
        setting.value = empty;
    puts(setting.value);
    setting_clear(&setting);
    return setting.value == empty;
}

void empty_text_taken_for_sentinel_bad(const char *text) {
    char *value = strdup(text);    //~ memory-leak "value"
    if (!value)
        value = empty;
    puts(value);
    if (*value != '\0')
        free(value);
}

void released_only_if_sentinel_bad(const char *text) {
    char *value = strdup(text);    //~ memory-leak "value"
    if (!value)
        value = empty;
    puts(value);
    if (value == empty)
        return;
    if (value == UNSET)
        free(value);
}

int cleared_field_holds_sentinel_bad(const char *text, int reset) {
    struct setting setting = { empty };
    setting.value = strdup(text);    //~ memory-leak "setting.value"
    if (reset)
        setting.value = empty;
    setting_clear(&setting);
    return 0;
}

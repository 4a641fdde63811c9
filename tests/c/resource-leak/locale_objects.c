// Locale objects: what a thread uses is not lost.
#include "stubs.h"

typedef struct locale_parts *locale_t;
locale_t newlocale(int mask, const char *name, locale_t base);
locale_t uselocale(locale_t locale);
void freelocale(locale_t locale);

void used_ok(void) {
    locale_t plain = newlocale(2, "C", NULL);
    uselocale(plain);
}

void given_back_ok(void) {
    freelocale(uselocale((locale_t)-1));
}

int dropped_bad(int wanted) {
    locale_t plain = newlocale(2, "C", NULL); //~ resource-leak
    if (!plain || !wanted)
        return -1;
    uselocale(plain);
    return 0;
}

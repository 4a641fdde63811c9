// A number read across cells of several widths, the last of which reaches further.
#include "stubs.h"

typedef struct { char bytes[16]; } vector;

struct mixed { int tag; vector wide; char rest[12]; };

int reads_across_cells_ok(struct mixed *m, const struct mixed *from) {
    char *block = malloc(8);
    if (!block)
        return 0;
    m->tag = 1;
    __builtin_memcpy(&m->wide, &from->wide, sizeof m->wide);
    *(__int128 *)m->wide.bytes = *(const __int128 *)from->wide.bytes;
    __int128 all = *(__int128 *)m;
    free(block);
    return (int)all;
}

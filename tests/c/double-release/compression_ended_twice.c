// The end of a compression clears the state in its stream: a second one finds nothing to release.
#include "stubs.h"

int ended_twice_ok(z_stream *stream, int failed) {
    if (deflateInit(stream, 6) != 0)
        return -1;
    if (failed)
        deflateEnd(stream);
    deflateEnd(stream);
    return 0;
}

void ended_one_way_then_the_other_ok(z_stream *stream) {
    inflateEnd(stream);
    deflateEnd(stream);
}

int begun_again_after_the_end_ok(z_stream *stream) {
    if (deflateInit(stream, 6) != 0)
        return -1;
    deflateEnd(stream);
    return deflateInit(stream, 9);
}

int begun_again_bad(z_stream *stream) {
    if (deflateInit(stream, 6) != 0)    //~ memory-leak
        return -1;
    return deflateInit(stream, 9);
}

void closed_twice_bad(const char *name) {
    gzFile file = gzopen(name, "r");
    if (!file)
        return;
    gzclose(file);
    gzclose(file);    //~ double-release
}

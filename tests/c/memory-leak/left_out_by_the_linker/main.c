// A program with a folder of helpers. It uses one of the files and not the other, which the linker leaves out.
#include "stubs.h"

char *first_word_bad(const char *text, size_t most);

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        char *word = first_word_bad(argv[i], (size_t)argc);
        if (word)
            puts(word);
        free(word);
    }
    return 0;
}

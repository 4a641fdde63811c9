// Errors leave by longjmp.
#include "stubs.h"

struct parser {
    jmp_buf escape;
    char *scratch;
    const char *at;
};

static void parse_error(struct parser *parser, int code) {
    parser->at = NULL;
    longjmp(parser->escape, code);
}

static int digit(struct parser *parser) {
    if (*parser->at < '0' || *parser->at > '9')
        parse_error(parser, 1);
    return *parser->at++ - '0';
}

int number_ok(struct parser *parser) {
    int value = digit(parser);
    while (*parser->at && *parser->at != ' ')
        value = value * 10 + digit(parser);
    return value;
}

int scratch_in_parser_ok(struct parser *parser) {
    free(parser->scratch);
    parser->scratch = malloc(100);
    if (!parser->scratch)
        parse_error(parser, 2);
    return digit(parser);
}

int freed_before_jump_ok(struct parser *parser, const char *text) {
    char *copy = strdup(text);
    if (!copy)
        return -1;
    if (copy[0] == '%') {
        free(copy);
        parse_error(parser, 3);
    }
    int length = (int)strlen(copy);
    free(copy);
    return length;
}

int lost_by_jump_bad(struct parser *parser, const char *text) {
    char *copy = strdup(text);    //~ memory-leak "copy"
    if (!copy)
        return -1;
    if (copy[0] == '%')
        parse_error(parser, 3);
    int length = (int)strlen(copy);
    free(copy);
    return length;
}

int lost_by_jump_of_callee_bad(struct parser *parser) {
    int *numbers = malloc(sizeof *numbers * 2);    //~ memory-leak "numbers"
    if (!numbers)
        return -1;
    numbers[0] = digit(parser);
    numbers[1] = digit(parser);
    int sum = numbers[0] + numbers[1];
    free(numbers);
    return sum;
}

/* Octets as the lines of these programs have them: hexadecimal digits, and "-" for none. */
#ifndef REMORA_HEX_H
#define REMORA_HEX_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    unsigned char *octets;
    size_t length;
} text;

static inline void give_up(const char *why)
{
    fprintf(stderr, "%s\n", why);
    exit(2);
}

static inline int digit_of(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

static inline text text_of(const char *digits)
{
    if (digits == NULL)
        give_up("a line with too few fields");
    size_t length = strcmp(digits, "-") == 0 ? 0 : strlen(digits) / 2;
    text read = {malloc(length + 1), length};
    if (read.octets == NULL)
        give_up("no memory");
    for (size_t i = 0; i < length; i++)
        read.octets[i] = (unsigned char)(digit_of(digits[2 * i]) << 4 | digit_of(digits[2 * i + 1]));
    return read;
}

static inline void print_hex(const unsigned char *octets, size_t length)
{
    for (size_t i = 0; i < length; i++)
        printf("%02x", octets[i]);
    if (length == 0)
        putchar('-');
}

#endif

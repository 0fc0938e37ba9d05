#include "chunks.h"

#include <stdlib.h>
#include <string.h>

/* Digits of a size, which is below 256 MiB. */
enum { LONGEST_SIZE = 7 };

static void take_line(struct chunks *chunks) {
    size_t length = chunks->length;
    chunks->length = 0;
    if (length == 0 || chunks->line[length - 1] != '\r') {
        chunks->broken = true;
        return;
    }
    chunks->line[--length] = '\0';
    if (chunks->behind) {
        chunks->broken = length > 0;
        chunks->ended = chunks->last;
        chunks->behind = false;
        return;
    }
    if (length == 0 || length > LONGEST_SIZE || strspn(chunks->line, "0123456789abcdefABCDEF") != length) {
        chunks->broken = true;
        return;
    }
    chunks->left = strtoul(chunks->line, NULL, 16);
    chunks->last = chunks->left == 0;
    chunks->behind = true;
}

void take_chunks(struct chunks *chunks, const char *text, size_t length) {
    size_t at = 0;
    while (at < length && !chunks->broken) {
        if (chunks->left > 0) {
            size_t part = length - at < chunks->left ? length - at : chunks->left;
            fwrite(text + at, 1, part, chunks->out);
            chunks->left -= part;
            at += part;
        } else if (chunks->ended || chunks->length == CHUNK_LINE_SIZE - 1) {
            chunks->broken = true;
        } else if (text[at] == '\n') {
            at++;
            take_line(chunks);
        } else {
            chunks->line[chunks->length++] = text[at++];
        }
    }
}

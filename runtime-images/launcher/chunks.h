/* A body in chunks, by whose end the reader knows that it is whole. Spec: RFC 9112 7.1. */
#ifndef REMORA_CHUNKS_H
#define REMORA_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { CHUNK_LINE_SIZE = 16 };

struct chunks {
    FILE *out;
    char line[CHUNK_LINE_SIZE];
    size_t length;
    size_t left; /* bytes that are still to come in this chunk */
    bool last;   /* the size was 0 */
    bool behind; /* the next line is the empty one behind a chunk */
    bool ended;
    bool broken;
};

/* Takes a piece of the body, of any length. Trailers and extensions break it, as the sidecar sends none. */
void take_chunks(struct chunks *chunks, const char *text, size_t length);

#endif

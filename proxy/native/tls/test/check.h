/* What the tests of the binding share: key material from files, and two connections that talk to each other in memory. */
#ifndef REMORA_TLS_CHECK_H
#define REMORA_TLS_CHECK_H

#include "../tls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                   \
    do {                                                                                                   \
        if (!(condition)) {                                                                                \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, __func__, #condition);                  \
            abort();                                                                                       \
        }                                                                                                  \
    } while (0)

enum { CONTENT_ROOM = 1 << 18 };

/* Two connections, and what has come out of each so far. */
typedef struct {
    tls_connection *client, *server;
    unsigned char *to_client, *to_server;
    size_t client_read, server_read;
    /* octets that travel at once; 0 for all */
    size_t chunk;
} pair;

/* pair.c */
extern const char *folder;
unsigned char *read_file(const char *name, size_t *length);
tls_context *new_context(bool is_server, const char *own, const char *authority, int version);
void must(bool is_well, const tls_error *error);
pair new_pair(tls_context *client, tls_context *server, const char *name);
/* The same, where the client knows its peer by a number. */
pair new_pair_towards(tls_context *client, tls_context *server, const char *name, uint64_t peer);
/* Until neither has anything more to say. */
void talk(pair *both);
void free_pair(pair *both);
/* Hands in octets from a buffer of their own, so that a read beyond them is seen. */
size_t feed(tls_connection *to, const unsigned char *octets, size_t length, unsigned char *content, size_t room);

/* damage.c: the same seed damages the same. */
void seed_draws(uint64_t seed);
uint32_t draw(uint32_t below);
/* Flips, repeats, cuts or lengthens; the result is the caller's. */
unsigned char *damage(const unsigned char *octets, size_t *length);

#endif

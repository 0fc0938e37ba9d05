#include "check.h"

const char *folder;

unsigned char *read_file(const char *name, size_t *length)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    unsigned char *octets = malloc(1 << 16);
    CHECK(octets != NULL);
    *length = fread(octets, 1, 1 << 16, file);
    CHECK(*length > 0 && *length < 1 << 16);
    (void)fclose(file);
    return octets;
}

void must(bool is_well, const tls_error *error)
{
    if (!is_well)
        fprintf(stderr, "%s\n", error->text);
    CHECK(is_well);
}

static void with_file(const char *name, const char *ending, tls_context *context,
                      bool (*use)(tls_context *, const unsigned char *, size_t, tls_error *))
{
    char file[128];
    tls_error error;
    size_t length;
    (void)snprintf(file, sizeof file, "%s%s", name, ending);
    unsigned char *octets = read_file(file, &length);
    must(use(context, octets, length, &error), &error);
    free(octets);
}

static bool use_own(tls_context *context, const unsigned char *der, size_t length, tls_error *error)
{
    return tls_context_certificate(context, der, length, true, error);
}

/* Either name may be NULL. A context with an authority asks its peer. */
tls_context *new_context(bool is_server, const char *own, const char *authority, int version)
{
    tls_error error;
    tls_context *context = tls_context_new(is_server, &error);
    must(context != NULL, &error);
    must(tls_context_versions(context, version, version, &error), &error);
    must(tls_context_groups(context, "x25519:secp256r1", &error), &error);
    must(tls_context_resume(context, (const unsigned char *)"1", 1, 3600, &error), &error);
    if (own != NULL) {
        with_file(own, ".der", context, use_own);
        with_file(own, ".key.der", context, tls_context_key);
    }
    if (authority != NULL) {
        with_file(authority, ".der", context, tls_context_trust);
        tls_context_ask(context, true);
    }
    return context;
}

pair new_pair_towards(tls_context *client, tls_context *server, const char *name, uint64_t peer)
{
    tls_error error;
    pair both = {.client = tls_connection_new(client, name, &error), .server = tls_connection_new(server, NULL, &error)};
    CHECK(both.client != NULL && both.server != NULL);
    both.to_client = malloc(CONTENT_ROOM);
    both.to_server = malloc(CONTENT_ROOM);
    CHECK(both.to_client != NULL && both.to_server != NULL);
    tls_connection_towards(both.client, peer);
    tls_connection_start(both.client);
    tls_connection_start(both.server);
    return both;
}

pair new_pair(tls_context *client, tls_context *server, const char *name) { return new_pair_towards(client, server, name, 0); }

size_t feed(tls_connection *to, const unsigned char *octets, size_t length, unsigned char *content, size_t room)
{
    unsigned char *copy = malloc(length);
    CHECK(copy != NULL);
    memcpy(copy, octets, length);
    size_t most = length + to->record_octets;
    size_t read = tls_connection_decrypt(to, copy, length, content, most < room ? most : room);
    free(copy);
    return read;
}

static bool pass(tls_connection *from, tls_connection *to, size_t chunk, unsigned char *content, size_t *read)
{
    size_t room = chunk == 0 || chunk > from->flight_length ? from->flight_length : chunk;
    unsigned char *octets = malloc(room + 1);
    CHECK(octets != NULL);
    size_t length = tls_connection_take_flight(from, octets, room);
    if (length > 0)
        *read += feed(to, octets, length, content + *read, CONTENT_ROOM - *read);
    free(octets);
    return length > 0;
}

void talk(pair *both)
{
    bool goes_on = true;
    while (goes_on) {
        goes_on = pass(both->client, both->server, both->chunk, both->to_server, &both->server_read);
        goes_on |= pass(both->server, both->client, both->chunk, both->to_client, &both->client_read);
    }
}

void free_pair(pair *both)
{
    tls_connection_free(both->client);
    tls_connection_free(both->server);
    free(both->to_client);
    free(both->to_server);
}

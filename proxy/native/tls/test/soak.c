/* Handshakes by the ten thousand, good ones, resumed ones and failed ones, with flat memory.
 *   soak FOLDER HANDSHAKES
 * Says how much memory the process has after a tenth of them and after all, and fails where it has grown in between. Built without sanitizers, which
 * keep memory that was freed. */
#include "check.h"

#include <unistd.h>

enum {
    /* a page here and there comes with new paths through the allocator */
    MOST_GROWTH = 128 * 1024,
    /* a handshake that keeps more than this is found, above the pages */
    MOST_KEPT = 4
};

typedef struct {
    tls_context *server, *strict, *client, *nobody, *foreign, *late, *revoked, *misnamed;
} contexts;

static long resident_octets(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL && fscanf(file, "%*s %ld", &pages) == 1);
    (void)fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static contexts new_contexts(int version)
{
    tls_error error;
    size_t length;
    contexts all = {.server = new_context(true, "server", NULL, version), .strict = new_context(true, "server", "ca", version),
                    .client = new_context(false, "client", "ca", version), .nobody = new_context(false, NULL, "ca", version),
                    .foreign = new_context(false, "foreign", "ca", version), .late = new_context(false, "expired-client", "ca", version),
                    .revoked = new_context(false, "revoked", "ca", version), .misnamed = new_context(false, NULL, "ca", version)};
    unsigned char *list = read_file("good.crl", &length);
    must(tls_context_list(all.strict, list, length, &error), &error);
    free(list);
    CHECK(tls_name_add(&all.misnamed->hosts, "two.example.com"));
    return all;
}

static void free_contexts(const contexts *all)
{
    tls_context *each[] = {all->server, all->strict, all->client, all->nobody, all->foreign, all->late, all->revoked, all->misnamed};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        tls_context_release(each[i]);
}

static void some_content(pair *both)
{
    unsigned char wire[4096];
    size_t made = tls_connection_encrypt(both->client, "GET / HTTP/1.1\r\n\r\n", 18, wire, sizeof wire);
    CHECK(feed(both->server, wire, made, both->to_server, CONTENT_ROOM) == 18);
    made = tls_connection_encrypt(both->server, "HTTP/1.1 200 OK\r\n\r\n", 19, wire, sizeof wire);
    CHECK(feed(both->client, wire, made, both->to_client, CONTENT_ROOM) == 19);
}

/* NONE for a connection; else why the server refuses the client, or the client the server where that is misnamed. */
static void shake(tls_context *client, tls_context *server, enum tls_failure expected)
{
    pair both = new_pair(client, server, "one.example.com");
    talk(&both);
    CHECK(both.server->failure == expected || (both.server->failure == TLS_FAILURE_ALERT && both.client->failure == expected));
    if (expected == TLS_FAILURE_NONE) {
        CHECK(both.client->is_established && both.server->is_established);
        some_content(&both);
        tls_connection_close(both.client);
        tls_connection_close(both.server);
        talk(&both);
    }
    free_pair(&both);
}

/* The client goes in the middle of its hello, or behind the server's first flight. */
static void leave(tls_context *client, tls_context *server, size_t octets)
{
    unsigned char flight[8192];
    pair both = new_pair(client, server, NULL);
    size_t length = tls_connection_take_flight(both.client, flight, sizeof flight);
    (void)feed(both.server, flight, octets < length ? octets : length, both.to_server, CONTENT_ROOM);
    CHECK(both.server->failure == TLS_FAILURE_NONE && !both.server->is_established);
    free_pair(&both);
}

static void garbage(tls_context *client, tls_context *server)
{
    pair both = new_pair(client, server, NULL);
    (void)feed(both.server, (const unsigned char *)"\x16\x03\x01\x00\x05\x02\x00\x00\x01\x00", 10, both.to_server, CONTENT_ROOM);
    CHECK(both.server->failure == TLS_FAILURE_PROTOCOL);
    free_pair(&both);
}

/* Ten, of which five fail. A connection without a certificate of the client's resumes the one before. */
static void ten(const contexts *all)
{
    shake(all->nobody, all->server, TLS_FAILURE_NONE);
    shake(all->nobody, all->server, TLS_FAILURE_NONE);
    shake(all->client, all->strict, TLS_FAILURE_NONE);
    shake(all->client, all->strict, TLS_FAILURE_NONE);
    shake(all->nobody, all->server, TLS_FAILURE_NONE);
    shake(all->nobody, all->strict, TLS_FAILURE_CERTIFICATE_MISSING);
    shake(all->misnamed, all->server, TLS_FAILURE_CERTIFICATE_NAME);
    leave(all->nobody, all->server, 100);
    leave(all->nobody, all->server, SIZE_MAX);
    garbage(all->nobody, all->server);
}

/* What only a tenth of the rounds has: other certificates, and contexts of their own, as after a change of the files. */
static void rare(contexts *all, int version)
{
    shake(all->foreign, all->strict, TLS_FAILURE_CERTIFICATE_UNTRUSTED);
    shake(all->late, all->strict, TLS_FAILURE_CERTIFICATE_NOT_VALID_NOW);
    shake(all->revoked, all->strict, TLS_FAILURE_CERTIFICATE_REVOKED);
    free_contexts(all);
    *all = new_contexts(version);
}

int main(int count, char **arguments)
{
    tls_error error;
    CHECK(count == 3);
    folder = arguments[1];
    long rounds = atol(arguments[2]) / 20, early = 0;
    int64_t held = 0;
    must(tls_start(&error), &error);
    contexts newer = new_contexts(TLS1_3_VERSION), older = new_contexts(TLS1_2_VERSION);
    for (long round = 1; round <= rounds; round++) {
        ten(&newer);
        ten(&older);
        if (round % 10 == 0) {
            rare(&newer, TLS1_3_VERSION);
            rare(&older, TLS1_2_VERSION);
        }
        if (round == rounds / 10) {
            early = resident_octets();
            held = tls_allocated();
        }
    }
    long late = resident_octets();
    int64_t later = tls_allocated();
    printf("RSS %ld KiB after %ld handshakes, %ld KiB after %ld; OpenSSL held %lld octets, then %lld\n", early / 1024, rounds / 10 * 20,
           late / 1024, rounds * 20, (long long)held, (long long)later);
    free_contexts(&newer);
    free_contexts(&older);
    CHECK(late - early < MOST_GROWTH + MOST_KEPT * rounds * 20);
    /* the same contexts hold the same, but for the few sessions that they keep */
    CHECK(later - held < MOST_GROWTH / 4);
    return 0;
}

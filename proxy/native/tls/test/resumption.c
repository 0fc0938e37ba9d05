/* Resumption over time, which stands still here until a test moves it: the limit of an hour, keys that follow each other, certificates that end,
 * damaged tickets, chains that are too long for one, and whether all of its memory is freed.
 *   resumption FOLDER */
#include "check.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/x509.h>
#include <sys/time.h>

enum { HOUR = 3600 };

static int64_t now;

/* The binding and the library take the time from these two, as a program's functions come before those of the C library. */
time_t time(time_t *into)
{
    if (into != NULL)
        *into = (time_t)now;
    return (time_t)now;
}

int gettimeofday(struct timeval *restrict into, void *restrict zone)
{
    (void)zone;
    *into = (struct timeval){.tv_sec = (time_t)now};
    return 0;
}

static void shakes(tls_context *client, tls_context *server, bool is_resumed)
{
    pair both = new_pair(client, server, NULL);
    talk(&both);
    if (!both.server->is_established || both.client->failure != TLS_FAILURE_NONE)
        fprintf(stderr, "client: %d %s, server: %d %s\n", both.client->failure, both.client->reason, both.server->failure, both.server->reason);
    CHECK(both.client->is_established && both.client->failure == TLS_FAILURE_NONE);
    CHECK(both.server->is_established && both.server->failure == TLS_FAILURE_NONE);
    CHECK((SSL_session_reused(both.client->ssl) == 1) == is_resumed);
    CHECK(tls_connection_peer(both.server, 0) != NULL);
    CHECK(ERR_peek_error() == 0);
    free_pair(&both);
}

static tls_context *new_with_lifetime(bool is_server, int version, long lifetime_s)
{
    tls_error error;
    tls_context *context = new_context(is_server, is_server ? "server" : "client", "ca", version);
    must(tls_context_resume(context, (const unsigned char *)"1", 1, lifetime_s, &error), &error);
    return context;
}

/* However often a session is resumed, the peer is verified again after the shorter of both lifetimes. */
static void ends_after_an_hour(int version, long of_client, long of_server)
{
    tls_context *server = new_with_lifetime(true, version, of_server), *client = new_with_lifetime(false, version, of_client);
    int64_t begin = now;
    shakes(client, server, false);
    now = begin + HOUR / 2;
    shakes(client, server, true);
    now = begin + HOUR - 1;
    shakes(client, server, true);
    now = begin + HOUR;
    shakes(client, server, false);
    now = begin + 2 * HOUR - 1;
    shakes(client, server, true);
    now = begin + 2 * HOUR + 1;
    shakes(client, server, false);
    tls_context_release(server);
    tls_context_release(client);
}

static void shakes_at_once(tls_context *client, tls_context *server, uint64_t peer)
{
    pair all[TLS_KEPT_WITH_PEER];
    for (size_t i = 0; i < TLS_KEPT_WITH_PEER; i++)
        all[i] = new_pair_towards(client, server, NULL, peer);
    for (size_t i = 0; i < TLS_KEPT_WITH_PEER; i++) {
        talk(&all[i]);
        CHECK(all[i].client->is_established);
        free_pair(&all[i]);
    }
}

/* Endpoints that are gone for an hour leave their room to those that are there. */
static void old_sessions_go_first(int version)
{
    tls_context *server = new_with_lifetime(true, version, HOUR), *client = new_with_lifetime(false, version, HOUR);
    for (uint64_t peer = 1; peer <= TLS_KEPT_SESSIONS; peer++)
        shakes_at_once(client, server, peer);
    CHECK(client->kept_count == TLS_KEPT_SESSIONS);
    for (int hours = 0; hours < 2; hours++) {
        size_t with_peer = 0;
        shakes_at_once(client, server, TLS_KEPT_SESSIONS + 1);
        for (size_t i = 0; i < client->kept_count; i++)
            with_peer += client->kept[i].peer == TLS_KEPT_SESSIONS + 1;
        CHECK(with_peer == (hours == 0 ? 1 : TLS_KEPT_WITH_PEER));
        now += HOUR;
    }
    tls_context_release(server);
    tls_context_release(client);
}

static bool is_same(const tls_ticket_key *one, const tls_ticket_key *other)
{
    return memcmp(one->name, other->name, sizeof one->name) == 0 && memcmp(one->cipher, other->cipher, sizeof one->cipher) == 0;
}

/* A key encrypts for a lifetime and decrypts for two. */
static void keys_follow_each_other(int version)
{
    tls_ticket_key first, found;
    tls_context *server = new_with_lifetime(true, version, HOUR), *early = new_with_lifetime(false, version, HOUR);
    tls_context *late = new_with_lifetime(false, version, HOUR), *later = new_with_lifetime(false, version, HOUR);
    int64_t begin = now;
    shakes(early, server, false);
    CHECK(tls_find_key(server, NULL, &first) == 1 && (int64_t)first.since == begin);
    now = begin + HOUR - 600;
    shakes(late, server, false);
    now = begin + HOUR - 1;
    CHECK(tls_find_key(server, NULL, &found) == 1 && is_same(&found, &first));
    now = begin + HOUR;
    shakes(later, server, false);
    CHECK(tls_find_key(server, NULL, &found) == 1 && !is_same(&found, &first) && (int64_t)found.since == now);
    CHECK(tls_find_key(server, first.name, &found) == 2 && is_same(&found, &first));
    /* under the old key, and then under the new one if there has been another ticket */
    now = begin + HOUR + 100;
    shakes(late, server, true);
    shakes(late, server, true);
    shakes(later, server, true);
    now = begin + 2 * HOUR - 1;
    CHECK(tls_find_key(server, first.name, &found) == 2);
    shakes(later, server, true);
    now = begin + 2 * HOUR;
    CHECK(tls_find_key(server, first.name, &found) == 0);
    shakes(late, server, false);
    tls_context *all[] = {server, early, late, later};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tls_context_release(all[i]);
}

/* A certificate ends sessions when it does, and begins none then. */
static void ends_with_the_certificate(int version)
{
    size_t length;
    tls_dates dates;
    tls_context *server = new_with_lifetime(true, version, HOUR), *client = new_context(false, "soon", "ca", version);
    unsigned char *der = read_file("soon.der", &length);
    const unsigned char *at = der;
    X509 *certificate = d2i_X509(NULL, &at, (long)length);
    CHECK(certificate != NULL && tls_dates_of(certificate, &dates));
    int64_t begin = now;
    CHECK(dates.begins <= begin && dates.ends > begin);
    now = dates.ends - 100;
    shakes(client, server, false);
    now = dates.ends - 1;
    shakes(client, server, true);
    now = dates.ends;
    pair both = new_pair(client, server, NULL);
    talk(&both);
    CHECK(both.server->failure == TLS_FAILURE_CERTIFICATE_NOT_VALID_NOW && both.client->failure == TLS_FAILURE_ALERT);
    free_pair(&both);
    now = begin;
    X509_free(certificate);
    free(der);
    tls_context_release(server);
    tls_context_release(client);
}

static size_t ticket_length(const tls_context *client)
{
    const unsigned char *ticket;
    size_t length;
    CHECK(client->kept_count > 0);
    SSL_SESSION_get0_ticket(client->kept[client->kept_count - 1].session, &ticket, &length);
    return length;
}

/* Makes the client offer a copy of its newest session, whose ticket differs in the octet at place, if it has that many. */
static void damage_ticket(tls_context *client, size_t place)
{
    tls_kept *kept = &client->kept[client->kept_count - 1];
    const unsigned char *ticket;
    size_t length;
    SSL_SESSION_get0_ticket(kept->session, &ticket, &length);
    int size = i2d_SSL_SESSION(kept->session, NULL);
    CHECK(size > 0);
    unsigned char *octets = malloc((size_t)size), *end = octets;
    CHECK(octets != NULL && i2d_SSL_SESSION(kept->session, &end) == size);
    unsigned char *found = memmem(octets, (size_t)size, ticket, length);
    CHECK(found != NULL);
    if (place < length)
        found[place] ^= 1;
    const unsigned char *from = octets;
    SSL_SESSION *changed = d2i_SSL_SESSION(NULL, &from, size);
    CHECK(changed != NULL);
    free(octets);
    SSL_SESSION_free(kept->session);
    kept->session = changed;
}

/* Name, nonce, stamps, session and tag of AWS-LC's; name, IV, session and MAC of OpenSSL's. */
static void damaged_tickets(int version)
{
    tls_context *server = new_with_lifetime(true, version, HOUR), *client = new_with_lifetime(false, version, HOUR);
    shakes(client, server, false);
    damage_ticket(client, SIZE_MAX);
    shakes(client, server, true);
    const size_t places[] = {0, 7, 15, 16, 27, 28, 31, 32, 36, 44, 59, 60, 200};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        CHECK(places[i] < ticket_length(client));
        damage_ticket(client, places[i]);
        shakes(client, server, false);
    }
    const size_t from_end[] = {1, 8, 16, 17, 32, 33};
    for (size_t i = 0; i < sizeof from_end / sizeof *from_end; i++) {
        damage_ticket(client, ticket_length(client) - from_end[i]);
        shakes(client, server, false);
    }
#ifdef OPENSSL_IS_AWSLC
    /* shorter ones, each in a buffer of its own */
    const size_t lengths[] = {1, 15, 16, 27, 28, 59, 60, 75, 76, 77, 100};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        SSL_SESSION *session = client->kept[client->kept_count - 1].session;
        const unsigned char *ticket;
        size_t length;
        SSL_SESSION_get0_ticket(session, &ticket, &length);
        unsigned char *shorter = malloc(lengths[i]);
        CHECK(shorter != NULL && lengths[i] < length);
        memcpy(shorter, ticket, lengths[i]);
        CHECK(SSL_SESSION_set_ticket(session, shorter, lengths[i]) == 1);
        free(shorter);
        shakes(client, server, false);
    }
#endif
    shakes(client, server, true);
    tls_context_release(server);
    tls_context_release(client);
}

/* A client that has sent count certificates more makes a full handshake where its ticket would be too long, and no failed one. */
static void long_chain(int version, int count, bool is_resumed)
{
    tls_error error;
    size_t length;
    tls_context *server = new_with_lifetime(true, version, HOUR), *client = new_with_lifetime(false, version, HOUR);
    unsigned char *der = read_file("bulky.der", &length);
    for (int i = 0; i < count; i++)
        must(tls_context_certificate(client, der, length, false, &error), &error);
    free(der);
    shakes(client, server, false);
    CHECK(ticket_length(client) <= TLS_TICKET_OCTETS);
    shakes(client, server, is_resumed);
    shakes(client, server, is_resumed);
    tls_context_release(server);
    tls_context_release(client);
}

static void long_chains(int version)
{
    /* OpenSSL's tickets hold the client's own certificate only */
#ifdef OPENSSL_IS_AWSLC
    const int most = 1;
#else
    const int most = INT_MAX;
#endif
    /* of 6 KiB each */
    const int counts[] = {0, 1, 2, 5, 6, 9, 11, 15};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        long_chain(version, counts[i], counts[i] <= most);
}

static void of_version(int version)
{
    ends_after_an_hour(version, HOUR, HOUR);
    ends_after_an_hour(version, HOUR, 2 * HOUR);
    ends_after_an_hour(version, 2 * HOUR, HOUR);
    old_sessions_go_first(version);
    keys_follow_each_other(version);
    ends_with_the_certificate(version);
    damaged_tickets(version);
    long_chains(version);
}

int main(int count, char **arguments)
{
    tls_error error;
    struct timespec real;
    int64_t held = 0;
    CHECK(count == 2 && clock_gettime(CLOCK_REALTIME, &real) == 0);
    now = (int64_t)real.tv_sec;
    folder = arguments[1];
    must(tls_start(&error), &error);
    for (int i = 0; i < 2; i++) {
        of_version(TLS1_3_VERSION);
        of_version(TLS1_2_VERSION);
        if (i == 0)
            held = tls_allocated();
        CHECK(tls_allocated() == held);
    }
    printf("resumption is well; %lld octets held\n", (long long)held);
    return 0;
}

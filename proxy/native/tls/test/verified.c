/* Chains that are remembered: which handshakes verify one and which do not, while time stands still until a test moves it. Linked with
 * --wrap=X509_verify_cert, which counts verifications.
 *   verified FOLDER */
#include "check.h"

#include <openssl/err.h>
#include <openssl/x509.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DAY = 24 * 60 * 60, MOST = 1024 };

static int64_t now, real;
static int by_servers, by_clients, version;

/* The binding and the library take the time from these two. */
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

int __real_X509_verify_cert(X509_STORE_CTX *store);
int __wrap_X509_verify_cert(X509_STORE_CTX *store);

static bool leaves_error;

int __wrap_X509_verify_cert(X509_STORE_CTX *store)
{
    const SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    *(SSL_is_server(ssl) ? &by_servers : &by_clients) += 1;
    int result = __real_X509_verify_cert(store);
    if (leaves_error)
        ERR_put_error(ERR_LIB_X509, 0, ERR_R_INTERNAL_ERROR, __FILE__, __LINE__);
    return result;
}

/* A full handshake; returns how often the server has verified a chain in it. */
static int shake(tls_context *client, tls_context *server, enum tls_failure at_client, enum tls_failure at_server)
{
    int before = by_servers;
    pair both = new_pair(client, server, NULL);
    talk(&both);
    if (both.client->failure != at_client || both.server->failure != at_server)
        fprintf(stderr, "client: %d %s, server: %d %s\n", both.client->failure, both.client->reason, both.server->failure, both.server->reason);
    CHECK(both.client->failure == at_client && both.server->failure == at_server);
    CHECK(at_client != TLS_FAILURE_NONE || (both.client->is_established && both.server->is_established));
    CHECK(SSL_session_reused(both.client->ssl) == 0);
    /* whoever forwards the certificate has it, verified now or before */
    CHECK(!both.server->is_established || SSL_CTX_get_verify_mode(server->ssl) == SSL_VERIFY_NONE || tls_connection_peer(both.server, 0) != NULL);
    free_pair(&both);
    return by_servers - before;
}

/* A server that trusts an authority, with lists if there are any, takes or refuses the client of that name, by a handshake of new contexts. */
static int meets(const char *name, const char *const authorities[2], const char *const lists[2], enum tls_failure failure)
{
    tls_error error;
    size_t length;
    tls_context *server = new_context(true, "server", authorities[0], version), *client = new_context(false, name, NULL, version);
    for (int i = 0; i < 2 && lists != NULL && lists[i] != NULL; i++) {
        unsigned char *der = read_file(lists[i], &length);
        must(tls_context_list(server, der, length, &error), &error);
        free(der);
    }
    if (authorities[1] != NULL) {
        unsigned char *der = read_file(authorities[1], &length);
        must(tls_context_trust(server, der, length, &error), &error);
        free(der);
    }
    int count = shake(client, server, failure == TLS_FAILURE_NONE ? TLS_FAILURE_NONE : TLS_FAILURE_ALERT, failure);
    tls_context_release(client);
    tls_context_release(server);
    return count;
}

static const char *const CA[2] = {"ca", NULL};

/* Contexts of the same trust are one: listeners share a chain, and a change of the own certificate forgets none. */
static void remembers(void)
{
    CHECK(meets("client", CA, NULL, TLS_FAILURE_NONE) == 1);
    for (int i = 0; i < 3; i++)
        CHECK(meets("client", CA, NULL, TLS_FAILURE_NONE) == 0);
    CHECK(meets("spiffe", CA, NULL, TLS_FAILURE_NONE) == 1);
    CHECK(meets("client", CA, NULL, TLS_FAILURE_NONE) == 0);
}

/* A chain with another certificate behind it is another. */
static void all_of_the_chain_counts(void)
{
    tls_error error;
    size_t length;
    tls_context *server = new_context(true, "server", "ca", version), *client = new_context(false, "client", NULL, version);
    tls_context *other = new_context(false, "client", NULL, version);
    unsigned char *der = read_file("bulky.der", &length);
    must(tls_context_certificate(client, der, length, false, &error), &error);
    free(der);
    CHECK(shake(client, server, TLS_FAILURE_NONE, TLS_FAILURE_NONE) == 1);
    CHECK(shake(other, server, TLS_FAILURE_NONE, TLS_FAILURE_NONE) == 1);
    tls_context_release(server);
    tls_context_release(client);
    tls_context_release(other);
}

static tls_dates dates_of(const char *file)
{
    size_t length;
    tls_dates dates;
    unsigned char *der = read_file(file, &length);
    const unsigned char *at = der;
    X509 *certificate = d2i_X509(NULL, &at, (long)length);
    CHECK(certificate != NULL && tls_dates_of(certificate, &dates));
    X509_free(certificate);
    free(der);
    return dates;
}

static void failures_are_not_remembered(void)
{
    for (int i = 0; i < 3; i++) {
        CHECK(meets("foreign", CA, NULL, TLS_FAILURE_CERTIFICATE_UNTRUSTED) == 1);
        CHECK(meets("expired-client", CA, NULL, TLS_FAILURE_CERTIFICATE_NOT_VALID_NOW) == 1);
    }
    /* who was refused for the time may come when it is right */
    now = dates_of("soon.der").begins - 1;
    CHECK(meets("soon", CA, NULL, TLS_FAILURE_CERTIFICATE_NOT_VALID_NOW) == 1);
    now = real;
    CHECK(meets("soon", CA, NULL, TLS_FAILURE_NONE) == 1);
}

/* What the library has tried before a chain passed ends no handshake, of which more is to come. */
static void errors_of_a_chain_that_passes_are_none(void)
{
    tls_context *server = new_context(true, "server", "ca", version), *client = new_context(false, "client", "ca", version);
    leaves_error = true;
    pair both = new_pair(client, server, NULL);
    both.chunk = 1;
    talk(&both);
    leaves_error = false;
    CHECK(by_servers == 1 && by_clients == 1);
    CHECK(both.client->failure == TLS_FAILURE_NONE && both.server->failure == TLS_FAILURE_NONE);
    CHECK(both.client->is_established && both.server->is_established);
    free_pair(&both);
    tls_context_release(server);
    tls_context_release(client);
}

static void names_are_judged_each_time(void)
{
    static const char *const NAMES[] = {"one.example.com", "two.example.com", "localhost", "server"};
    const bool passes[] = {true, false, true, false};
    int before = by_clients;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        tls_context *server = new_context(true, "server", NULL, version), *client = new_context(false, NULL, "ca", version);
        CHECK(tls_name_add(&client->hosts, NAMES[i]));
        (void)shake(client, server, passes[i] ? TLS_FAILURE_NONE : TLS_FAILURE_CERTIFICATE_NAME, passes[i] ? TLS_FAILURE_NONE : TLS_FAILURE_ALERT);
        tls_context_release(server);
        tls_context_release(client);
    }
    CHECK(by_clients - before == 1);
}

/* Who passes as a server is judged again as a client. */
static void the_side_counts(void)
{
    static const char *const OWN[] = {"server", "spiffe"};
    for (size_t i = 0; i < 2; i++) {
        tls_context *server = new_context(true, OWN[i], NULL, version), *client = new_context(false, NULL, "ca", version);
        (void)shake(client, server, TLS_FAILURE_NONE, TLS_FAILURE_NONE);
        tls_context_release(server);
        tls_context_release(client);
    }
    CHECK(meets("server", CA, NULL, TLS_FAILURE_CERTIFICATE_UNTRUSTED) == 1);
    CHECK(meets("server", CA, NULL, TLS_FAILURE_CERTIFICATE_UNTRUSTED) == 1);
    CHECK(meets("spiffe", CA, NULL, TLS_FAILURE_NONE) == 1);
}

static void trust_counts(void)
{
    static const char *const FOREIGN[2] = {"foreign-ca", NULL}, *const NAMESAKE[2] = {"namesake", NULL}, *const BOTH[2] = {"ca", "foreign-ca.der"};
    CHECK(meets("client", CA, NULL, TLS_FAILURE_NONE) == 1);
    CHECK(meets("client", FOREIGN, NULL, TLS_FAILURE_CERTIFICATE_UNTRUSTED) == 1);
    CHECK(meets("client", NAMESAKE, NULL, TLS_FAILURE_CERTIFICATE_UNTRUSTED) == 1);
    CHECK(meets("client", BOTH, NULL, TLS_FAILURE_NONE) == 1);
    CHECK(meets("foreign", BOTH, NULL, TLS_FAILURE_NONE) == 1);
    CHECK(meets("foreign", CA, NULL, TLS_FAILURE_CERTIFICATE_UNTRUSTED) == 1);
    CHECK(meets("client", CA, NULL, TLS_FAILURE_NONE) == 0);
}

static void lists_count(void)
{
    static const char *const GOOD[2] = {"good.crl", NULL}, *const FORGED[2] = {"forged.crl", NULL};
    CHECK(meets("revoked", CA, NULL, TLS_FAILURE_NONE) == 1);
    CHECK(meets("revoked", CA, NULL, TLS_FAILURE_NONE) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(meets("revoked", CA, GOOD, TLS_FAILURE_CERTIFICATE_REVOKED) == 1);
    CHECK(meets("client", CA, GOOD, TLS_FAILURE_NONE) == 1);
    CHECK(meets("client", CA, GOOD, TLS_FAILURE_NONE) == 0);
    CHECK(meets("client", CA, FORGED, TLS_FAILURE_REVOCATION_UNKNOWN) == 1);
    CHECK(meets("revoked", CA, NULL, TLS_FAILURE_NONE) == 0);
    /* a context that answers for a name has the first one's */
    tls_error error;
    size_t length;
    tls_context *first = new_context(true, "server", "ca", version), *wild = new_context(true, "wild", NULL, version);
    unsigned char *der = read_file("good.crl", &length);
    must(tls_context_list(first, der, length, &error), &error);
    free(der);
    tls_context_ask(wild, true);
    must(tls_context_serve(first, "*.wild.example.com", wild, &error), &error);
    CHECK(memcmp(first->trusted, wild->trusted, TLS_DIGEST) == 0 && memcmp(first->listed, wild->listed, TLS_DIGEST) == 0);
    tls_context_release(wild);
    tls_context_release(first);
}

static void ends_with_a_certificate(void)
{
    int64_t own = dates_of("soon.der").ends, issuer = dates_of("ca.der").ends;
    CHECK(dates_of("beyond.der").ends > issuer);
    CHECK(meets("soon", CA, NULL, TLS_FAILURE_NONE) == 1);
    now = own - 1;
    CHECK(meets("soon", CA, NULL, TLS_FAILURE_NONE) == 0);
    now = own;
    CHECK(meets("soon", CA, NULL, TLS_FAILURE_CERTIFICATE_NOT_VALID_NOW) == 1);
    /* the issuer's, which the client does not show */
    now = real + DAY;
    CHECK(meets("beyond", CA, NULL, TLS_FAILURE_NONE) == 1);
    /* the server of the test has ended by then, which nobody asks */
    now = issuer - 1;
    CHECK(meets("beyond", CA, NULL, TLS_FAILURE_NONE) == 0);
    now = issuer;
    CHECK(meets("beyond", CA, NULL, TLS_FAILURE_CERTIFICATE_NOT_VALID_NOW) == 1);
}

static int64_t time_of(const char *name, bool is_end)
{
    size_t length;
    int64_t seconds;
    unsigned char *der = read_file(name, &length);
    const unsigned char *at = der;
    X509_CRL *list = d2i_X509_CRL(NULL, &at, (long)length);
    CHECK(list != NULL && tls_seconds_of(is_end ? X509_CRL_get0_nextUpdate(list) : X509_CRL_get0_lastUpdate(list), &seconds));
    X509_CRL_free(list);
    free(der);
    return seconds;
}

static void ends_with_a_list(void)
{
    static const char *const BRIEF[2] = {"brief.crl", NULL}, *const LATER[2] = {"good.crl", "later.crl"};
    int64_t end = time_of("brief.crl", true), begin = time_of("later.crl", false);
    CHECK(meets("client", CA, BRIEF, TLS_FAILURE_NONE) == 1);
    now = end - 1;
    CHECK(meets("client", CA, BRIEF, TLS_FAILURE_NONE) == 0);
    now = end;
    CHECK(meets("client", CA, BRIEF, TLS_FAILURE_REVOCATION_UNKNOWN) == 1);
    /* one that begins to count revokes */
    now = real;
    CHECK(begin > now && meets("client", CA, LATER, TLS_FAILURE_NONE) == 1);
    now = begin - 1;
    CHECK(meets("client", CA, LATER, TLS_FAILURE_NONE) == 0);
    now = begin;
    CHECK(meets("client", CA, LATER, TLS_FAILURE_CERTIFICATE_REVOKED) == 1);
}

static void a_clock_set_back_judges_again(void)
{
    now = real + DAY;
    CHECK(meets("client", CA, NULL, TLS_FAILURE_NONE) == 1);
    now = real + DAY - 1;
    CHECK(meets("client", CA, NULL, TLS_FAILURE_NONE) == 1);
    CHECK(meets("client", CA, NULL, TLS_FAILURE_NONE) == 0);
    /* which has moved the beginning, and not the end */
    now = real + DAY;
    CHECK(meets("client", CA, NULL, TLS_FAILURE_NONE) == 0);
    now = dates_of("client.der").begins - 1;
    CHECK(meets("client", CA, NULL, TLS_FAILURE_CERTIFICATE_NOT_VALID_NOW) == 1);
}

static tls_chain chain_of(uint64_t number)
{
    tls_chain made = {.since = now};
    seed_draws(number + 1);
    for (size_t i = 0; i < sizeof made.key; i++)
        made.key[i] = (unsigned char)draw(256);
    return made;
}

static STACK_OF(X509) *path_of(const char *file)
{
    size_t length;
    unsigned char *der = read_file(file, &length);
    const unsigned char *at = der;
    X509 *certificate = d2i_X509(NULL, &at, (long)length);
    STACK_OF(X509) *path = sk_X509_new_null();
    CHECK(certificate != NULL && path != NULL && sk_X509_push(path, certificate) > 0);
    free(der);
    return path;
}

static int count_of(int many)
{
    int count = 0;
    for (int i = 0; i < many; i++) {
        tls_chain asked = chain_of((uint64_t)i);
        count += tls_chain_has_passed(&asked);
    }
    return count;
}

/* However many pass: the table has its bound, the newest is in it, and none passes that has not. */
static void is_bounded(void)
{
    tls_context *server = new_context(true, "server", "ca", version);
    STACK_OF(X509) *path = path_of("client.der");
    int64_t held = tls_allocated();
    for (int i = 0; i < 20 * MOST; i++) {
        tls_chain asked = chain_of((uint64_t)i);
        CHECK(!tls_chain_has_passed(&asked));
        tls_chain_passes(server, path, &asked);
        CHECK(tls_chain_has_passed(&asked));
        /* once more changes nothing */
        tls_chain_passes(server, path, &asked);
        if (i + 1 == MOST)
            CHECK(count_of(MOST) == MOST);
    }
    CHECK(count_of(20 * MOST) == MOST);
    CHECK(tls_allocated() == held);
    /* one octet of difference is another chain */
    for (size_t i = 0; i < TLS_DIGEST; i++) {
        tls_chain asked = chain_of(20 * MOST - 1);
        asked.key[i] ^= 1;
        CHECK(!tls_chain_has_passed(&asked));
    }
    sk_X509_pop_free(path, X509_free);
    tls_context_release(server);
}

/* After a change of trust, what passed before makes room for what passes now. */
static void makes_room_for_what_is_used(void)
{
    tls_context *server = new_context(true, "server", "ca", version);
    STACK_OF(X509) *path = path_of("client.der");
    int missed = 0;
    for (int i = 0; i < MOST; i++) {
        tls_chain asked = chain_of((uint64_t)i);
        tls_chain_passes(server, path, &asked);
    }
    for (int round = 0; round < 6; round++) {
        missed = 0;
        for (int i = 0; i < MOST / 2; i++) {
            tls_chain asked = chain_of((uint64_t)(MOST + i));
            if (tls_chain_has_passed(&asked))
                continue;
            missed++;
            tls_chain_passes(server, path, &asked);
        }
    }
    CHECK(missed == 0);
    sk_X509_pop_free(path, X509_free);
    tls_context_release(server);
}

/* All in one bucket, of which each replaces the one that was there first. */
static void one_bucket(void)
{
    tls_context *server = new_context(true, "server", "ca", version);
    STACK_OF(X509) *path = path_of("client.der");
    int count = 0;
    for (int i = 0; i < 2 * MOST; i++) {
        tls_chain asked = chain_of((uint64_t)i);
        memset(asked.key, 0, 4);
        tls_chain_passes(server, path, &asked);
        CHECK(tls_chain_has_passed(&asked));
    }
    for (int i = 0; i < 2 * MOST; i++) {
        tls_chain asked = chain_of((uint64_t)i);
        memset(asked.key, 0, 4);
        count += tls_chain_has_passed(&asked);
    }
    CHECK(count == MOST);
    sk_X509_pop_free(path, X509_free);
    tls_context_release(server);
}

static tls_context *shared;

/* The bits of a number that differ from those of others choose bucket and place. */
static tls_chain spread(uint64_t number)
{
    tls_chain made = {.since = now};
    uint64_t mixed = number * 0x9e3779b97f4a7c15;
    memcpy(made.key, (unsigned char *)&mixed + 4, 4);
    memcpy(made.key + 8, &number, sizeof number);
    return made;
}

static void *pass_many(void *first)
{
    STACK_OF(X509) *path = path_of("client.der");
    for (uint64_t i = 0; i < 4 * MOST; i++) {
        tls_chain asked = spread(i * 4 + (uint64_t)(uintptr_t)first);
        tls_chain_passes(shared, path, &asked);
        (void)tls_chain_has_passed(&asked);
    }
    sk_X509_pop_free(path, X509_free);
    return NULL;
}

/* Loops and the thread of handshakes use the table at once: the count at the end says that no bucket has lost an entry. */
static void threads(void)
{
    pthread_t all[4];
    int count = 0;
    shared = new_context(true, "server", "ca", version);
    for (uintptr_t i = 0; i < 4; i++)
        CHECK(pthread_create(&all[i], NULL, pass_many, (void *)i) == 0);
    for (size_t i = 0; i < 4; i++)
        CHECK(pthread_join(all[i], NULL) == 0);
    for (uint64_t i = 0; i < 16 * MOST; i++) {
        tls_chain asked = spread(i);
        count += tls_chain_has_passed(&asked);
    }
    CHECK(count == MOST);
    tls_context_release(shared);
}

/* In a process of its own, which remembers nothing yet. */
static void apart(void (*test)(void))
{
    int status = 0;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        test();
        exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(int count, char **arguments)
{
    static void (*const TESTS[])(void) = {remembers, all_of_the_chain_counts, failures_are_not_remembered,
                                          errors_of_a_chain_that_passes_are_none, names_are_judged_each_time, the_side_counts,
                                          trust_counts, lists_count, ends_with_a_certificate, ends_with_a_list, a_clock_set_back_judges_again,
                                          is_bounded, makes_room_for_what_is_used, one_bucket, threads};
    tls_error error;
    struct timespec started;
    CHECK(count == 2 && clock_gettime(CLOCK_REALTIME, &started) == 0);
    now = real = (int64_t)started.tv_sec;
    folder = arguments[1];
    must(tls_start(&error), &error);
    for (version = TLS1_2_VERSION; version <= TLS1_3_VERSION; version++)
        for (size_t i = 0; i < sizeof TESTS / sizeof *TESTS; i++)
            apart(TESTS[i]);
    printf("remembered chains are well\n");
    return 0;
}

/* CPU that a full handshake costs the server, with as many client certificates as there are clients: their chains remembered and not, in
 * rounds of either in turn, so that a busy machine slows both alike. Its time is that of the thread inside the calls of the server's side.
 *   cost FOLDER CLIENTS [GROUP [LIST]] */
#include "check.h"
#include "../library.h"

#include <openssl/evp.h>
#include <openssl/x509v3.h>
#include <sys/wait.h>
#include <unistd.h>

/* as large as the second level's cache, so that a handshake begins with what a busy proxy leaves of one before */
enum { ROUNDS = 8, OTHER_OCTETS = 8 << 20 };

static int64_t spent_ns;
static unsigned char *other;

static int64_t cpu_ns(void)
{
    struct timespec at;
    CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at) == 0);
    return (int64_t)at.tv_sec * 1000000000 + at.tv_nsec;
}

static void crowd_out(void)
{
    if (other != NULL)
        for (size_t i = 0; i < OTHER_OCTETS; i += 64)
            other[i]++;
}

static bool pass(tls_connection *from, tls_connection *to, bool is_counted)
{
    static unsigned char octets[1 << 16], content[1 << 16];
    size_t length = tls_connection_take_flight(from, octets, sizeof octets);
    if (length == 0)
        return false;
    crowd_out();
    int64_t begin = cpu_ns();
    (void)tls_connection_decrypt(to, octets, length, content, sizeof content);
    if (is_counted)
        spent_ns += cpu_ns() - begin;
    return true;
}

static int64_t shake(tls_context *client, tls_context *server)
{
    tls_error error;
    spent_ns = 0;
    tls_connection *one = tls_connection_new(client, NULL, &error);
    int64_t begin = cpu_ns();
    tls_connection *it = tls_connection_new(server, NULL, &error);
    CHECK(one != NULL && it != NULL);
    tls_connection_start(it);
    spent_ns += cpu_ns() - begin;
    tls_connection_start(one);
    for (bool goes_on = true; goes_on;) {
        goes_on = pass(one, it, true);
        goes_on |= pass(it, one, false);
    }
    CHECK(one->is_established && it->is_established && SSL_session_reused(it->ssl) == 0);
    begin = cpu_ns();
    tls_connection_free(it);
    spent_ns += cpu_ns() - begin;
    tls_connection_free(one);
    return spent_ns;
}

static EVP_PKEY *read_key(const char *name)
{
    size_t length;
    unsigned char *der = read_file(name, &length);
    const unsigned char *at = der;
    PKCS8_PRIV_KEY_INFO *info = d2i_PKCS8_PRIV_KEY_INFO(NULL, &at, (long)length);
    CHECK(info != NULL);
    EVP_PKEY *key = EVP_PKCS82PKEY(info);
    CHECK(key != NULL);
    PKCS8_PRIV_KEY_INFO_free(info);
    free(der);
    return key;
}

static X509 *read_authority(void)
{
    size_t length;
    unsigned char *der = read_file("ca.der", &length);
    const unsigned char *at = der;
    X509 *certificate = d2i_X509(NULL, &at, (long)length);
    CHECK(certificate != NULL);
    free(der);
    return certificate;
}

static void extend(X509 *certificate, int kind, const char *value)
{
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, kind, value);
    CHECK(extension != NULL && X509_add_ext(certificate, extension, -1) == 1);
    X509_EXTENSION_free(extension);
}

static void write_file(const char *name, const char *ending, const unsigned char *der, int length)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && length > 0 && fwrite(der, 1, (size_t)length, file) == (size_t)length && fclose(file) == 0);
}

static void name_of(char name[32], long number) { (void)snprintf(name, 32, "client-%ld", number); }

static void issue(long number, X509 *issuer, EVP_PKEY *issuer_key)
{
    char name[32], uri[96];
    unsigned char *der = NULL;
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *keys = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, NULL);
    X509 *it = X509_new();
    CHECK(keys != NULL && EVP_PKEY_keygen_init(keys) == 1 && EVP_PKEY_CTX_set_ec_paramgen_curve_nid(keys, NID_X9_62_prime256v1) == 1);
    CHECK(EVP_PKEY_keygen(keys, &key) == 1 && it != NULL);
    EVP_PKEY_CTX_free(keys);
    CHECK(X509_set_version(it, 2) == 1 && ASN1_INTEGER_set(X509_get_serialNumber(it), number + 1) == 1);
    CHECK(X509_set_issuer_name(it, X509_get_subject_name(issuer)) == 1 && X509_set_pubkey(it, key) == 1);
    CHECK(X509_gmtime_adj(X509_getm_notBefore(it), 0) != NULL && X509_gmtime_adj(X509_getm_notAfter(it), 24 * 60 * 60) != NULL);
    name_of(name, number);
    (void)snprintf(uri, sizeof uri, "critical,URI:spiffe://example.com/ns/a/sa/%s", name);
    extend(it, NID_subject_alt_name, uri);
    extend(it, NID_ext_key_usage, "clientAuth,serverAuth");
    extend(it, NID_basic_constraints, "critical,CA:FALSE");
    CHECK(X509_sign(it, issuer_key, EVP_sha256()) > 0);
    int length = i2d_X509(it, &der);
    write_file(name, ".der", der, length);
    OPENSSL_free(der);
    der = NULL;
    PKCS8_PRIV_KEY_INFO *info = EVP_PKEY2PKCS8(key);
    length = i2d_PKCS8_PRIV_KEY_INFO(info, &der);
    write_file(name, ".key.der", der, length);
    OPENSSL_free(der);
    PKCS8_PRIV_KEY_INFO_free(info);
    X509_free(it);
    EVP_PKEY_free(key);
}

/* In a process of its own, as the binding has OpenSSL do without what issues certificates. */
static void issue_all(long clients)
{
    int status;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        X509 *issuer = read_authority();
        EVP_PKEY *key = read_key("ca.key.der");
        for (long i = 0; i < clients; i++)
            issue(i, issuer, key);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static tls_context *new_client(long number, const char *groups)
{
    char name[32];
    tls_error error;
    name_of(name, number);
    tls_context *client = new_context(false, name, "ca", TLS1_3_VERSION);
    must(tls_context_groups(client, groups, &error), &error);
    /* what it could resume is too old at once */
    client->lifetime_s = 0;
    return client;
}

static int compare(const void *one, const void *two)
{
    int64_t first = *(const int64_t *)one, second = *(const int64_t *)two;
    return (first > second) - (first < second);
}

/* The mean of each round, least first: the least, the middle, and the most of them. */
static void tell(const char *what, int64_t *rounds, long clients)
{
    char name[64];
    tls_library_name(name, sizeof name);
    qsort(rounds, ROUNDS, sizeof *rounds, compare);
    printf("%s, %zu bit, %s caches, %s: %.0f us (median of %d rounds, %.0f to %.0f) of %ld clients\n", name, 8 * sizeof(void *),
           other == NULL ? "warm" : "cold", what, (double)(rounds[ROUNDS / 2 - 1] + rounds[ROUNDS / 2]) / 2e3 / (double)clients, ROUNDS,
           (double)rounds[0] / 1e3 / (double)clients, (double)rounds[ROUNDS - 1] / 1e3 / (double)clients, clients);
}

/* The time of one handshake of each client, in a process of its own, which changes nothing that is remembered in this one. */
static int64_t round_of(tls_context *server, tls_context **clients, long count, bool is_remembered)
{
    int ends[2], status;
    int64_t sum = 0;
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        for (long i = 0; i < count; i++) {
            /* under other trust nothing has passed */
            if (!is_remembered)
                memcpy(server->trusted, &i, sizeof i);
            sum += shake(clients[i], server);
        }
        CHECK(write(ends[1], &sum, sizeof sum) == sizeof sum);
        _exit(0);
    }
    /* else the end of a child that has failed would be waited for forever */
    (void)close(ends[1]);
    CHECK(read(ends[0], &sum, sizeof sum) == sizeof sum && waitpid(child, &status, 0) == child && status == 0);
    (void)close(ends[0]);
    return sum;
}

int main(int count, char **arguments)
{
    tls_error error;
    size_t length;
    CHECK(count >= 3);
    folder = arguments[1];
    long clients = atol(arguments[2]);
    const char *groups = count > 3 ? arguments[3] : "x25519";
    issue_all(clients);
    must(tls_start(&error), &error);
    tls_context **all = calloc((size_t)clients, sizeof *all), *server = new_context(true, "spiffe", "ca", TLS1_3_VERSION);
    CHECK(all != NULL && clients > 0);
    must(tls_context_groups(server, groups, &error), &error);
    if (count > 4) {
        unsigned char *list = read_file(arguments[4], &length);
        must(tls_context_list(server, list, length, &error), &error);
        free(list);
    }
    for (long i = 0; i < clients; i++)
        all[i] = new_client(i, groups);
    for (int is_cold = 0; is_cold < 2; is_cold++) {
        int64_t judged[ROUNDS], remembered[ROUNDS];
        other = is_cold == 1 ? calloc(1, OTHER_OCTETS) : NULL;
        for (long i = 0; i < clients; i++)
            (void)shake(all[i], server);
        for (int round = 0; round < ROUNDS; round++) {
            judged[round] = round_of(server, all, clients, false);
            remembered[round] = round_of(server, all, clients, true);
        }
        tell("each chain judged", judged, clients);
        tell("chains remembered", remembered, clients);
        free(other);
    }
    for (long i = 0; i < clients; i++)
        tls_context_release(all[i]);
    free(all);
    tls_context_release(server);
    return 0;
}

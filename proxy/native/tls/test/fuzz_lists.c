/* Damaged revocation lists, as they are and signed again by their issuer, so that they are used: nothing may crash, be read beyond its
 * end, or stay behind. By clang's libFuzzer where it is there, which calls LLVMFuzzerTestOneInput itself, else by damage of our own:
 *   fuzz_lists FOLDER SECONDS [SEED]
 * libFuzzer takes the folder of the key material from MATERIAL. */
#include "check.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>

static const char *const PEERS[] = {"client.der", "revoked.der"};

static STACK_OF(X509) *paths[2];
static EVP_PKEY *key;

static X509 *read_certificate(const char *name)
{
    size_t length;
    unsigned char *der = read_file(name, &length);
    const unsigned char *at = der;
    X509 *certificate = d2i_X509(NULL, &at, (long)length);
    CHECK(certificate != NULL);
    free(der);
    return certificate;
}

static void prepare(void)
{
    tls_error error;
    size_t length;
    must(tls_start(&error), &error);
    for (size_t i = 0; i < 2; i++) {
        paths[i] = sk_X509_new_null();
        CHECK(paths[i] != NULL && sk_X509_push(paths[i], read_certificate(PEERS[i])) > 0);
        CHECK(sk_X509_push(paths[i], read_certificate("ca.der")) > 0);
    }
    unsigned char *der = read_file("ca.key.der", &length);
    const unsigned char *at = der;
    key = d2i_AutoPrivateKey(NULL, &at, (long)length);
    CHECK(key != NULL);
    free(der);
}

static void go_by(const unsigned char *der, size_t length)
{
    tls_error error;
    tls_context *context = tls_context_new(true, &error), *other = tls_context_new(true, &error);
    CHECK(context != NULL && other != NULL);
    if (tls_context_list(context, der, length, &error)) {
        (void)tls_lists_are_current(context);
        for (size_t i = 0; i < 2; i++)
            (void)tls_lists_judge(context, paths[i]);
        CHECK(tls_lists_share(context, other));
        CHECK(tls_lists_judge(other, paths[0]) == tls_lists_judge(context, paths[0]));
    }
    tls_context_release(context);
    tls_context_release(other);
}

static void sign_and_go_by(const unsigned char *der, size_t length)
{
    const unsigned char *at = der;
    unsigned char *again = NULL;
    X509_CRL *list = d2i_X509_CRL(NULL, &at, (long)length);
    if (list != NULL && X509_CRL_sign(list, key, EVP_sha256()) > 0) {
        int octets = i2d_X509_CRL(list, &again);
        if (octets > 0)
            go_by(again, (size_t)octets);
        OPENSSL_free(again);
    }
    X509_CRL_free(list);
    ERR_clear_error();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    if (key == NULL) {
        folder = getenv("MATERIAL");
        CHECK(folder != NULL);
        prepare();
    }
    go_by(data, length);
    sign_and_go_by(data, length);
    return 0;
}

#ifndef LIBFUZZER
static const char *const SEEDS[] = {"good.crl", "old.crl", "forged.crl", "no-sign.crl"};

/* What the seeds are worth: undamaged, the first of them tells the two peers apart. */
static void check_seeds(void)
{
    tls_error error;
    size_t length;
    tls_context *context = tls_context_new(true, &error);
    unsigned char *der = read_file(SEEDS[0], &length);
    must(tls_context_list(context, der, length, &error), &error);
    CHECK(tls_lists_judge(context, paths[0]) == X509_V_OK && tls_lists_judge(context, paths[1]) == X509_V_ERR_CERT_REVOKED);
    free(der);
    tls_context_release(context);
}

int main(int count, char **arguments)
{
    long runs = 0;
    int64_t held = 0;
    CHECK(count >= 3);
    folder = arguments[1];
    time_t until = time(NULL) + atoi(arguments[2]);
    uint64_t seed = count > 3 ? strtoull(arguments[3], NULL, 10) : (uint64_t)time(NULL);
    prepare();
    check_seeds();
    do {
        fprintf(stderr, "\rseed %llu", (unsigned long long)seed);
        seed_draws(seed);
        for (size_t i = 0; i < sizeof SEEDS / sizeof *SEEDS; i++) {
            size_t length;
            unsigned char *list = read_file(SEEDS[i], &length);
            for (int times = 0; times < 100; times++, runs++) {
                size_t left = length;
                unsigned char *damaged = damage(list, &left);
                (void)LLVMFuzzerTestOneInput(damaged, left);
                free(damaged);
            }
            free(list);
        }
        /* the first round loads texts of errors and fetches algorithms */
        if (held == 0)
            held = tls_allocated();
        CHECK(tls_allocated() <= held + 4096);
        seed++;
    } while (time(NULL) < until && count <= 3);
    printf("\n%ld lists; %lld octets held\n", runs, (long long)tls_allocated());
    return 0;
}
#endif

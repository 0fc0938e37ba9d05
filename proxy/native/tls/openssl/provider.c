/* The part of OpenSSL's default provider that connections use.
 *
 * For each certificate that it reads, OpenSSL 3.0 goes through all the kinds of keys and all the decoders that its providers have, more than a hundred,
 * and asks each whether it is of use: a third of what a handshake takes. So the default provider is loaded into a library context of its own, and the
 * one that connections use knows a provider that hands out the same algorithms without those that no certificate and no handshake of ours has. */
#include "provider.h"

#include <openssl/core_dispatch.h>
#include <openssl/crypto.h>
#include <openssl/provider.h>
#include <string.h>

enum { MOST_TAKEN = 32 };

static OSSL_PROVIDER *whole;
/* Ended by an empty one. */
static OSSL_ALGORITHM decoders[MOST_TAKEN + 1], keys[MOST_TAKEN + 1];

static bool is_one_of(const char *const *words, const char *text, const char *end)
{
    size_t length = strcspn(text, end);
    for (; *words != NULL; words++)
        if (strlen(*words) == length && OPENSSL_strncasecmp(*words, text, length) == 0)
            return true;
    return false;
}


/* Certificates hold keys as SubjectPublicKeyInfo; private ones are PKCS #8 by the time they come here. */
static bool is_decoder_of_use(const OSSL_ALGORITHM *decoder)
{
    static const char *const KEYS[] = {"RSA", "RSA-PSS", "EC", "ED25519", "ED448", NULL};
    static const char *const FORMS[] = {"SubjectPublicKeyInfo", "PrivateKeyInfo", NULL};
    const char *form = strstr(decoder->property_definition, "structure=");
    return form != NULL && strstr(decoder->property_definition, "input=der") != NULL &&
           is_one_of(FORMS, form + strlen("structure="), ",") && is_one_of(KEYS, decoder->algorithm_names, ":");
}

/* Those of certificates, of key exchanges, and of the HMAC that ends a handshake. */
static bool is_key_of_use(const OSSL_ALGORITHM *key)
{
    static const char *const KEYS[] = {"RSA", "RSA-PSS", "EC", "ED25519", "ED448", "X25519", "X448", "DH", "HMAC", NULL};
    return is_one_of(KEYS, key->algorithm_names, ":");
}

static bool take(OSSL_ALGORITHM *taken, int operation, bool (*is_of_use)(const OSSL_ALGORITHM *))
{
    int ignored = 0;
    size_t count = 0;
    const OSSL_ALGORITHM *all = OSSL_PROVIDER_query_operation(whole, operation, &ignored);
    for (; all != NULL && all->algorithm_names != NULL && count < MOST_TAKEN; all++)
        if (is_of_use(all))
            taken[count++] = *all;
    return count > 0;
}

static const OSSL_ALGORITHM *query(void *provider, int operation, int *is_not_to_be_kept)
{
    (void)provider;
    switch (operation) {
    case OSSL_OP_DECODER:
        *is_not_to_be_kept = 0;
        return decoders;
    case OSSL_OP_KEYMGMT:
        *is_not_to_be_kept = 0;
        return keys;
    case OSSL_OP_ENCODER:
    case OSSL_OP_STORE:
        return NULL;
    default:
        return OSSL_PROVIDER_query_operation(whole, operation, is_not_to_be_kept);
    }
}

static void forget(void *provider, int operation, const OSSL_ALGORITHM *algorithms)
{
    (void)provider;
    if (algorithms != decoders && algorithms != keys)
        OSSL_PROVIDER_unquery_operation(whole, operation, algorithms);
}

static const OSSL_PARAM *known_parameters(void *provider)
{
    (void)provider;
    return OSSL_PROVIDER_gettable_params(whole);
}

static int parameters(void *provider, OSSL_PARAM values[])
{
    (void)provider;
    return OSSL_PROVIDER_get_params(whole, values);
}

/* The groups of TLS. */
static int capabilities(void *provider, const char *name, OSSL_CALLBACK *told, void *argument)
{
    (void)provider;
    return OSSL_PROVIDER_get_capabilities(whole, name, told, argument);
}

static int start(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *core, const OSSL_DISPATCH **functions, void **provider)
{
    static const OSSL_DISPATCH FUNCTIONS[] = {{OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, (void (*)(void))known_parameters},
                                              {OSSL_FUNC_PROVIDER_GET_PARAMS, (void (*)(void))parameters},
                                              {OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))query},
                                              {OSSL_FUNC_PROVIDER_UNQUERY_OPERATION, (void (*)(void))forget},
                                              {OSSL_FUNC_PROVIDER_GET_CAPABILITIES, (void (*)(void))capabilities},
                                              {0, NULL}};
    (void)handle;
    (void)core;
    *functions = FUNCTIONS;
    /* with which the algorithms are to be called */
    *provider = OSSL_PROVIDER_get0_provider_ctx(whole);
    return 1;
}

bool tls_provider_start(void)
{
    OSSL_LIB_CTX *apart = OSSL_LIB_CTX_new();
    whole = apart == NULL ? NULL : OSSL_PROVIDER_load(apart, "default");
    return whole != NULL && take(decoders, OSSL_OP_DECODER, is_decoder_of_use) && take(keys, OSSL_OP_KEYMGMT, is_key_of_use) &&
           OSSL_PROVIDER_add_builtin(NULL, "remora", start) == 1 && OSSL_PROVIDER_load(NULL, "remora") != NULL;
}

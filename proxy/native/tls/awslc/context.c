/* Settings and callbacks that make contexts and connections of AWS-LC behave as those of OpenSSL. */
#include "../library.h"

#include <openssl/aead.h>
#include <openssl/err.h>
#include <openssl/pool.h>
#include <string.h>

enum {
    /* The steps that OpenSSL takes at most for a message without content between, and for a KeyUpdate that asks for another. */
    MESSAGE_STEPS = 3,
    ASKING_STEPS = 5,
    KEY_UPDATE_LENGTH = SSL3_HM_HEADER_LENGTH + 1
};

/* Those of OpenSSL's level 2 that AWS-LC has, but for rsa_pss_pss_* and Ed448. Ed25519 is not among the library's own. */
static const uint16_t SIGNATURES[] = {
    SSL_SIGN_ECDSA_SECP256R1_SHA256, SSL_SIGN_ED25519,           SSL_SIGN_ECDSA_SECP384R1_SHA384, SSL_SIGN_ECDSA_SECP521R1_SHA512,
    SSL_SIGN_RSA_PSS_RSAE_SHA256,    SSL_SIGN_RSA_PSS_RSAE_SHA384, SSL_SIGN_RSA_PSS_RSAE_SHA512,
    SSL_SIGN_RSA_PKCS1_SHA256,       SSL_SIGN_RSA_PKCS1_SHA384,    SSL_SIGN_RSA_PKCS1_SHA512};

static const char *const CIPHERS[] = {"TLS_AES_128_GCM_SHA256",
                                      "TLS_AES_256_GCM_SHA384",
                                      "TLS_CHACHA20_POLY1305_SHA256",
                                      "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
                                      "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
                                      "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
                                      "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
                                      "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
                                      "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"};

/* Certificates that several connections have are in memory once. It is the process's, as contexts come and go while connections stay. */
static CRYPTO_BUFFER_POOL *certificates;
static pthread_once_t certificates_once = PTHREAD_ONCE_INIT;

static void make_pool(void) { certificates = CRYPTO_BUFFER_POOL_new(); }

/* AWS-LC tells of no steps once a handshake is over. */
static void on_message(int is_sent, int version, int type, const void *octets, size_t length, SSL *ssl, void *unused)
{
    (void)version;
    (void)unused;
    const unsigned char *message = octets;
    tls_connection *connection = SSL_get_app_data(ssl);
    if (is_sent || type != SSL3_RT_HANDSHAKE || connection == NULL || !connection->is_established)
        return;
    bool asks = length == KEY_UPDATE_LENGTH && message[0] == SSL3_MT_KEY_UPDATE && message[SSL3_HM_HEADER_LENGTH] == SSL_KEY_UPDATE_REQUESTED;
    connection->idle_steps += asks ? ASKING_STEPS : MESSAGE_STEPS;
}

static bool is_offered(const SSL_CLIENT_HELLO *hello, uint16_t suite)
{
    for (size_t i = 0; i + 1 < hello->cipher_suites_len; i += 2)
        if ((hello->cipher_suites[i] << 8 | hello->cipher_suites[i + 1]) == suite)
            return true;
    return false;
}

/* The first of ours that the client has too, which are of 1.3 as they stand in front; NULL for none. */
static const SSL_CIPHER *choose(const SSL_CLIENT_HELLO *hello, const STACK_OF(SSL_CIPHER) *ours)
{
    for (size_t i = 0; i < sk_SSL_CIPHER_num(ours); i++) {
        const SSL_CIPHER *one = sk_SSL_CIPHER_value(ours, i);
        if (SSL_CIPHER_get_min_version(one) >= TLS1_3_VERSION && is_offered(hello, SSL_CIPHER_get_protocol_id(one)))
            return one;
    }
    return NULL;
}

/* Whether AWS-LC would take the same: the first that the client names and we have, where AES is fast. */
static bool is_taken_anyway(const SSL_CLIENT_HELLO *hello, const STACK_OF(SSL_CIPHER) *ours, const SSL_CIPHER *chosen)
{
    for (size_t i = 0; i + 1 < hello->cipher_suites_len; i += 2)
        for (size_t j = 0; j < sk_SSL_CIPHER_num(ours); j++) {
            const SSL_CIPHER *one = sk_SSL_CIPHER_value(ours, j);
            if (SSL_CIPHER_get_min_version(one) >= TLS1_3_VERSION &&
                SSL_CIPHER_get_protocol_id(one) == (hello->cipher_suites[i] << 8 | hello->cipher_suites[i + 1]))
                return one == chosen && EVP_has_aes_hardware() == 1;
        }
    return false;
}

/* Has the server's order of ciphers count in TLS 1.3 too. */
static enum ssl_select_cert_result_t on_suites(const SSL_CLIENT_HELLO *hello)
{
    SSL *ssl = hello->ssl;
    const STACK_OF(SSL_CIPHER) *ours = SSL_CTX_get_ciphers(SSL_get_SSL_CTX(ssl));
    const SSL_CIPHER *chosen = choose(hello, ours);
    if (chosen == NULL || SSL_get_max_proto_version(ssl) < TLS1_3_VERSION || is_taken_anyway(hello, ours, chosen))
        return ssl_select_cert_success;
    return SSL_set_ciphersuites(ssl, SSL_CIPHER_standard_name(chosen)) == 1 ? ssl_select_cert_success : ssl_select_cert_error;
}

bool tls_library_prepare(tls_context *context)
{
    SSL_CTX *ssl = context->ssl;
    (void)pthread_once(&certificates_once, make_pool);
    if (certificates == NULL)
        return false;
    SSL_CTX_set0_buffer_pool(ssl, certificates);
    SSL_CTX_set_early_data_enabled(ssl, 0);
    SSL_CTX_set_msg_callback(ssl, on_message);
    if (context->is_server)
        SSL_CTX_set_select_certificate_cb(ssl, on_suites);
    return SSL_CTX_set_verify_algorithm_prefs(ssl, SIGNATURES, sizeof SIGNATURES / sizeof *SIGNATURES) == 1 &&
           SSL_CTX_set_signing_algorithm_prefs(ssl, SIGNATURES, sizeof SIGNATURES / sizeof *SIGNATURES) == 1;
}

const char *tls_library_cipher(const char *name)
{
    for (size_t i = 0; i < sizeof CIPHERS / sizeof *CIPHERS; i++)
        if (strcmp(CIPHERS[i], name) == 0)
            return CIPHERS[i];
    return NULL;
}

bool tls_library_ciphers(tls_context *context, const char *newer, const char *older)
{
    return SSL_CTX_set_ciphersuites(context->ssl, newer) == 1 && SSL_CTX_set_cipher_list(context->ssl, older) == 1;
}

/* AWS-LC's own names are others. */
bool tls_library_groups(tls_context *context, const char *names)
{
    static const struct {
        const char *name;
        uint16_t id;
    } ALL[] = {{"X25519MLKEM768", SSL_GROUP_X25519_MLKEM768},
               {"x25519", SSL_GROUP_X25519},
               {"secp256r1", SSL_GROUP_SECP256R1},
               {"secp384r1", SSL_GROUP_SECP384R1},
               {"secp521r1", SSL_GROUP_SECP521R1}};
    enum { MOST = sizeof ALL / sizeof *ALL };
    uint16_t ids[MOST];
    size_t count = 0;
    while (*names != '\0') {
        size_t length = strcspn(names, ":"), i = 0;
        while (i < MOST && (strlen(ALL[i].name) != length || strncmp(ALL[i].name, names, length) != 0))
            i++;
        if (i == MOST || count == MOST)
            return false;
        ids[count++] = ALL[i].id;
        names += length + (names[length] == ':');
    }
    return count > 0 && SSL_CTX_set1_group_ids(context->ssl, ids, count) == 1;
}

enum tls_failure tls_library_failure(int reason)
{
    switch (reason) {
    case SSL_R_NO_SHARED_GROUP:
    case SSL_R_NO_COMMON_SIGNATURE_ALGORITHMS:
    case SSL_R_NO_SUPPORTED_VERSIONS_ENABLED:
        return TLS_FAILURE_NOTHING_IN_COMMON;
    /* whose key may do other things only, which AWS-LC sees before the chain is verified */
    case SSL_R_ECC_CERT_NOT_FOR_SIGNING:
    case SSL_R_KEY_USAGE_BIT_INCORRECT:
        return TLS_FAILURE_CERTIFICATE_UNTRUSTED;
    case SSL_R_HANDSHAKE_FAILURE_ON_CLIENT_HELLO:
        return TLS_FAILURE_ALERT;
    default:
        return TLS_FAILURE_NONE;
    }
}

void tls_library_begin(SSL *ssl)
{
    /* what only handshakes need, and no handshake follows */
    SSL_set_shed_handshake_config(ssl, 1);
}

/* Tickets and answers to KeyUpdates would wait for content to go out with. */
void tls_library_rest(tls_connection *connection)
{
    if (connection->failure == TLS_FAILURE_NONE && !connection->is_output_closed)
        (void)SSL_write(connection->ssl, "", 0);
    ERR_clear_error();
}

#include "../library.h"

#include <openssl/err.h>
#include <string.h>

bool tls_library_prepare(tls_context *context)
{
    SSL_CTX_set_security_level(context->ssl, 2);
    return SSL_CTX_set_max_early_data(context->ssl, 0) == 1;
}

const char *tls_library_cipher(const char *name)
{
    const char *own = OPENSSL_cipher_name(name);
    return strcmp(own, "(NONE)") == 0 ? NULL : own;
}

bool tls_library_ciphers(tls_context *context, const char *newer, const char *older)
{
    /* an empty list is an error of its function for the older ones only */
    if (SSL_CTX_set_ciphersuites(context->ssl, newer) != 1 || SSL_CTX_set_cipher_list(context->ssl, *older == '\0' ? "-ALL" : older) != 1)
        ERR_clear_error();
    return true;
}

bool tls_library_groups(tls_context *context, const char *names) { return SSL_CTX_set1_groups_list(context->ssl, names) == 1; }

enum tls_failure tls_library_failure(int reason)
{
    switch (reason) {
    case SSL_R_NO_SHARED_GROUPS:
    case SSL_R_NO_SUITABLE_GROUPS:
    case SSL_R_NO_SUITABLE_KEY_SHARE:
    case SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM:
    case SSL_R_NO_SHARED_SIGNATURE_ALGORITHMS:
        return TLS_FAILURE_NOTHING_IN_COMMON;
    default:
        return TLS_FAILURE_NONE;
    }
}

/* The level above is judged by OpenSSL itself. */

const char *tls_library_weakness(X509 *certificate, bool is_own)
{
    (void)certificate;
    (void)is_own;
    return NULL;
}

int tls_library_judge(X509_STORE_CTX *store, int why)
{
    (void)store;
    return why;
}

int tls_library_alert_of(int why) { return why; }

void tls_library_begin(SSL *ssl) { (void)ssl; }

/* which OpenSSL does by itself when it has returned content only */
void tls_library_rest(tls_connection *connection) { (void)SSL_free_buffers(connection->ssl); }

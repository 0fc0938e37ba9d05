/* What OpenSSL has to say of a failure: in words, and as one of our own reasons. */
#include "library.h"

#include <openssl/err.h>
#include <stdio.h>

/* The texts take more memory than connections do, so they are loaded when there is something to tell. */
static const char *words_of(tls_code code)
{
    (void)OPENSSL_init_ssl(OPENSSL_INIT_LOAD_SSL_STRINGS | OPENSSL_INIT_LOAD_CRYPTO_STRINGS, NULL);
    const char *words = ERR_reason_error_string(code);
    return words == NULL ? "no reason given" : words;
}

void tls_forget_errors(void)
{
    if (ERR_peek_error() != 0)
        ERR_clear_error();
}

bool tls_fail(tls_error *error, const char *what)
{
    tls_code code = ERR_get_error();
    if (code == 0)
        (void)snprintf(error->text, sizeof error->text, "%s", what);
    else
        (void)snprintf(error->text, sizeof error->text, "%s: %s", what, words_of(code));
    ERR_clear_error();
    return false;
}

static enum tls_failure failure_of_verification(int verified)
{
    switch (verified) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
    case X509_V_ERR_CERT_NOT_YET_VALID:
        return TLS_FAILURE_CERTIFICATE_NOT_VALID_NOW;
    case X509_V_ERR_CERT_REVOKED:
        return TLS_FAILURE_CERTIFICATE_REVOKED;
    case X509_V_ERR_CRL_HAS_EXPIRED:
    case X509_V_ERR_CRL_NOT_YET_VALID:
    case X509_V_ERR_CRL_SIGNATURE_FAILURE:
    case X509_V_ERR_KEYUSAGE_NO_CRL_SIGN:
        return TLS_FAILURE_REVOCATION_UNKNOWN;
    case X509_V_ERR_HOSTNAME_MISMATCH:
        return TLS_FAILURE_CERTIFICATE_NAME;
    default:
        return TLS_FAILURE_CERTIFICATE_UNTRUSTED;
    }
}

static enum tls_failure failure_of(tls_code code, int verified)
{
    if (ERR_GET_LIB(code) == ERR_LIB_SYS || ERR_GET_REASON(code) == ERR_R_MALLOC_FAILURE)
        return TLS_FAILURE_INTERNAL;
    if (ERR_GET_LIB(code) != ERR_LIB_SSL)
        return TLS_FAILURE_PROTOCOL;
    enum tls_failure own = tls_library_failure(ERR_GET_REASON(code));
    if (own != TLS_FAILURE_NONE)
        return own;
    switch (ERR_GET_REASON(code)) {
    case SSL_R_HTTP_REQUEST:
    case SSL_R_HTTPS_PROXY_REQUEST:
        return TLS_FAILURE_PLAIN_HTTP;
    case SSL_R_NO_SHARED_CIPHER:
    case SSL_R_NO_APPLICATION_PROTOCOL:
    case SSL_R_NO_PROTOCOLS_AVAILABLE:
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_VERSION_TOO_LOW:
        return TLS_FAILURE_NOTHING_IN_COMMON;
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
        return TLS_FAILURE_CERTIFICATE_MISSING;
    case SSL_R_CERTIFICATE_VERIFY_FAILED:
        return failure_of_verification(verified);
    case SSL_R_NO_RENEGOTIATION:
        return TLS_FAILURE_RENEGOTIATION;
    case SSL_R_PROTOCOL_IS_SHUTDOWN:
        return TLS_FAILURE_CLOSED;
    case ERR_R_INTERNAL_ERROR:
        return TLS_FAILURE_INTERNAL;
    default:
        return ERR_GET_REASON(code) > SSL_AD_REASON_OFFSET ? TLS_FAILURE_ALERT : TLS_FAILURE_PROTOCOL;
    }
}

void tls_connection_fail_with(tls_connection *connection, enum tls_failure failure, const char *reason)
{
    if (connection->failure == TLS_FAILURE_NONE) {
        connection->failure = failure;
        connection->reason = OPENSSL_strdup(reason);
    }
    ERR_clear_error();
}

/* The first error is the most exact as to its words; the last is that of TLS, in whose terms the others are one failure. */
void tls_connection_fail(tls_connection *connection)
{
    tls_code first = ERR_peek_error(), last = ERR_peek_last_error();
    int verified = connection->unverified;
    char reason[TLS_ERROR_LENGTH];
    if (first == 0) {
        tls_connection_fail_with(connection, TLS_FAILURE_PROTOCOL, "no reason given");
        return;
    }
    if (ERR_GET_LIB(first) == ERR_LIB_SSL && ERR_GET_REASON(first) == SSL_R_CERTIFICATE_VERIFY_FAILED)
        (void)snprintf(reason, sizeof reason, "%s", X509_verify_cert_error_string(verified));
    else
        (void)snprintf(reason, sizeof reason, "%s", words_of(first));
    tls_connection_fail_with(connection, failure_of(last, verified), reason);
}

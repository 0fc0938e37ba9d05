/* Certificates and keys, from DER. They are the operator's; the same functions read what a peer sends, in OpenSSL. */
#include "library.h"

#include <openssl/err.h>
#include <openssl/x509.h>
#include <stdio.h>

/* Exactly one certificate; NULL for anything else. */
static X509 *read_certificate(const unsigned char *der, size_t length)
{
    const unsigned char *at = der;
    ERR_clear_error();
    if (length > INT32_MAX)
        return NULL;
    X509 *certificate = d2i_X509(NULL, &at, (long)length);
    if (certificate != NULL && at != der + length) {
        X509_free(certificate);
        return NULL;
    }
    return certificate;
}

bool tls_context_certificate(tls_context *context, const unsigned char *der, size_t length, bool is_own, tls_error *error)
{
    X509 *certificate = read_certificate(der, length);
    if (certificate == NULL)
        return tls_fail(error, "not a certificate");
    const char *weakness = tls_library_weakness(certificate, is_own);
    if (weakness != NULL) {
        X509_free(certificate);
        (void)snprintf(error->text, sizeof error->text, "the certificate is not usable: %s", weakness);
        ERR_clear_error();
        return false;
    }
    /* both hold it by themselves */
    bool is_taken = is_own ? SSL_CTX_use_certificate(context->ssl, certificate) == 1
                           : SSL_CTX_add1_chain_cert(context->ssl, certificate) == 1;
    X509_free(certificate);
    return is_taken || tls_fail(error, "the certificate is not usable");
}

bool tls_context_key(tls_context *context, const unsigned char *der, size_t length, tls_error *error)
{
    const unsigned char *at = der;
    EVP_PKEY *key = NULL;
    ERR_clear_error();
    PKCS8_PRIV_KEY_INFO *info = length > INT32_MAX ? NULL : d2i_PKCS8_PRIV_KEY_INFO(NULL, &at, (long)length);
    if (info != NULL)
        key = EVP_PKCS82PKEY(info);
    PKCS8_PRIV_KEY_INFO_free(info);
    if (key == NULL)
        return tls_fail(error, "not a private key");
    bool is_taken = SSL_CTX_use_PrivateKey(context->ssl, key) == 1 && SSL_CTX_check_private_key(context->ssl) == 1;
    EVP_PKEY_free(key);
    return is_taken || tls_fail(error, "the private key is not that of the certificate");
}

bool tls_context_trust(tls_context *context, const unsigned char *der, size_t length, tls_error *error)
{
    if (context->is_shared)
        return tls_fail(error, "trust and lists come before names");
    X509 *certificate = read_certificate(der, length);
    if (certificate == NULL)
        return tls_fail(error, "not a certificate");
    bool is_taken = tls_digest_add(context->trusted, der, length) && X509_STORE_add_cert(SSL_CTX_get_cert_store(context->ssl), certificate) == 1;
    if (is_taken && context->is_server) {
        const STACK_OF(X509_NAME) *told = SSL_CTX_get_client_CA_list(context->ssl);
        if (told == NULL || sk_X509_NAME_num(told) < TLS_TOLD_AUTHORITIES)
            is_taken = SSL_CTX_add_client_CA(context->ssl, certificate) == 1;
    }
    X509_free(certificate);
    return is_taken || tls_fail(error, "the certificate is not usable");
}

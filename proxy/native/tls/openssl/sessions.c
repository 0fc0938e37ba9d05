/* OpenSSL's tickets: encrypted with AES-256-CBC, authenticated with HMAC-SHA-256. They hold the session and the time of the full handshake. */
#include "../library.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <string.h>

static int use_key(SSL *ssl, unsigned char *name, unsigned char *iv, EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac, int encrypts)
{
    const tls_connection *connection = SSL_get_app_data(ssl);
    tls_ticket_key key;
    int place = tls_find_key(connection->first, encrypts ? NULL : name, &key);
    if (place == 0)
        return encrypts ? -1 : 0;
    char digest[] = "SHA256";
    OSSL_PARAM parameters[] = {OSSL_PARAM_octet_string(OSSL_MAC_PARAM_KEY, key.mac, sizeof key.mac),
                               OSSL_PARAM_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, sizeof digest - 1), OSSL_PARAM_END};
    bool is_ready = EVP_MAC_CTX_set_params(mac, parameters) == 1;
    if (encrypts) {
        memcpy(name, key.name, sizeof key.name);
        is_ready = is_ready && RAND_bytes(iv, EVP_CIPHER_get_iv_length(EVP_aes_256_cbc())) == 1;
    }
    is_ready = is_ready && EVP_CipherInit_ex(cipher, EVP_aes_256_cbc(), NULL, key.cipher, iv, encrypts) == 1;
    OPENSSL_cleanse(&key, sizeof key);
    return is_ready ? place : -1;
}

/* The ticket says when the client was verified, which a ticket that follows from a resumption repeats. */
static int on_ticket_made(SSL *ssl, void *unused)
{
    (void)unused;
    SSL_SESSION *session = SSL_get_session(ssl);
    void *data;
    size_t length;
    int64_t now = (int64_t)time(NULL);
    if (SSL_SESSION_get0_ticket_appdata(session, &data, &length) == 1 && length == sizeof now)
        return 1;
    return SSL_SESSION_set1_ticket_appdata(session, &now, sizeof now);
}

static SSL_TICKET_RETURN on_ticket_read(SSL *ssl, SSL_SESSION *session, const unsigned char *name, size_t name_length,
                                        SSL_TICKET_STATUS status, void *unused)
{
    (void)name;
    (void)name_length;
    (void)unused;
    const tls_connection *connection = SSL_get_app_data(ssl);
    void *data;
    size_t length;
    int64_t verified;
    if (status != SSL_TICKET_SUCCESS && status != SSL_TICKET_SUCCESS_RENEW)
        return SSL_TICKET_RETURN_IGNORE_RENEW;
    if (SSL_SESSION_get0_ticket_appdata(session, &data, &length) != 1 || length != sizeof verified)
        return SSL_TICKET_RETURN_IGNORE_RENEW;
    memcpy(&verified, data, sizeof verified);
    const tls_context *answers = connection->answers == NULL ? connection->first : connection->answers;
    if (!tls_is_within((time_t)verified, time(NULL), answers->lifetime_s) || !tls_is_still_valid(answers, SSL_SESSION_get0_peer(session)))
        return SSL_TICKET_RETURN_IGNORE_RENEW;
    /* a ticket of TLS 1.3 serves once (RFC 8446 C.4) */
    bool is_renewed = status == SSL_TICKET_SUCCESS_RENEW || SSL_version(ssl) == TLS1_3_VERSION;
    return is_renewed ? SSL_TICKET_RETURN_USE_RENEW : SSL_TICKET_RETURN_USE;
}

bool tls_library_give_tickets(tls_context *context)
{
    return SSL_CTX_set_tlsext_ticket_key_evp_cb(context->ssl, use_key) == 1 &&
           SSL_CTX_set_session_ticket_cb(context->ssl, on_ticket_made, on_ticket_read, NULL) == 1;
}

void tls_library_lifetime(tls_context *context) { (void)SSL_CTX_set_timeout(context->ssl, context->lifetime_s); }

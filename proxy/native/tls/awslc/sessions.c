/* AWS-LC's tickets: encrypted with AES-256-GCM, and with what decides over them in front of the session. The library has no call for a session
 * that it has read, so a ticket is judged where it is decrypted. */
#include "../library.h"

#include <openssl/aead.h>
#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <string.h>

/* When the peer's chain was verified in a full handshake, and how long the peer's certificate is valid, if it has shown one. */
typedef struct {
    int64_t verified, begins, ends;
    uint8_t is_shown, unused[7];
} stamps;

enum { NONCE = 12, TAG = 16, BEFORE = TLS_TICKET_NAME + NONCE, OVERHEAD = BEFORE + sizeof(stamps) + TAG };

static size_t overhead(SSL *ssl)
{
    (void)ssl;
    return OVERHEAD;
}

static bool begin(EVP_AEAD_CTX *aead, tls_ticket_key *key)
{
    bool is_begun = EVP_AEAD_CTX_init(aead, EVP_aead_aes_256_gcm(), key->cipher, sizeof key->cipher, TAG, NULL) == 1;
    OPENSSL_cleanse(key, sizeof *key);
    return is_begun;
}

/* A ticket that follows from a resumption repeats when the peer was verified. */
static bool stamp(SSL *ssl, stamps *made)
{
    const tls_connection *connection = SSL_get_app_data(ssl);
    X509 *certificate = SSL_get0_peer_certificate(ssl);
    memset(made, 0, sizeof *made);
    made->verified = SSL_session_reused(ssl) == 1 ? (int64_t)connection->verified : (int64_t)time(NULL);
    made->is_shown = certificate != NULL;
    return certificate == NULL || (ASN1_TIME_to_posix(X509_get0_notBefore(certificate), &made->begins) == 1 &&
                                   ASN1_TIME_to_posix(X509_get0_notAfter(certificate), &made->ends) == 1);
}

static int seal(SSL *ssl, uint8_t *out, size_t *out_length, size_t room, const uint8_t *session, size_t length)
{
    const tls_connection *connection = SSL_get_app_data(ssl);
    tls_ticket_key key;
    stamps made;
    EVP_AEAD_CTX aead;
    if (room < length + OVERHEAD)
        return 0;
    /* a session that fits no ticket gets one that is none */
    if (length + OVERHEAD > UINT16_MAX) {
        *out = 0;
        *out_length = 1;
        return 1;
    }
    if (!stamp(ssl, &made) || tls_find_key(connection->first, NULL, &key) == 0)
        return 0;
    memcpy(out, key.name, TLS_TICKET_NAME);
    uint8_t *nonce = out + TLS_TICKET_NAME, *text = out + BEFORE;
    memcpy(text, &made, sizeof made);
    memcpy(text + sizeof made, session, length);
    if (RAND_bytes(nonce, NONCE) != 1 || !begin(&aead, &key)) {
        OPENSSL_cleanse(&key, sizeof key);
        return 0;
    }
    size_t sealed;
    bool is_sealed = EVP_AEAD_CTX_seal(&aead, text, &sealed, room - BEFORE, nonce, NONCE, text, sizeof made + length, out, TLS_TICKET_NAME) == 1;
    EVP_AEAD_CTX_cleanup(&aead);
    *out_length = BEFORE + (is_sealed ? sealed : 0);
    return is_sealed;
}

/* tls_is_still_valid for a certificate of which the ticket says the dates. A server expects no names, so none are looked at. */
static bool is_resumable(const tls_context *answers, const stamps *read)
{
    time_t now = time(NULL);
    int mode = SSL_CTX_get_verify_mode(answers->ssl);
    if (!tls_is_within((time_t)read->verified, now, answers->lifetime_s) || answers->hosts != NULL || answers->uris != NULL)
        return false;
    if (mode == SSL_VERIFY_NONE)
        return true;
    if (!read->is_shown)
        return (mode & SSL_VERIFY_FAIL_IF_NO_PEER_CERT) == 0;
    return read->begins <= (int64_t)now && read->ends > (int64_t)now && tls_lists_are_current(answers);
}

static enum ssl_ticket_aead_result_t open_ticket(SSL *ssl, uint8_t *out, size_t *out_length, size_t room, const uint8_t *ticket, size_t length)
{
    tls_connection *connection = SSL_get_app_data(ssl);
    tls_ticket_key key;
    stamps read;
    EVP_AEAD_CTX aead;
    size_t opened;
    if (length <= OVERHEAD || tls_find_key(connection->first, ticket, &key) == 0)
        return ssl_ticket_aead_ignore_ticket;
    if (!begin(&aead, &key))
        return ssl_ticket_aead_error;
    bool is_opened = EVP_AEAD_CTX_open(&aead, out, &opened, room, ticket + TLS_TICKET_NAME, NONCE, ticket + BEFORE, length - BEFORE, ticket,
                                       TLS_TICKET_NAME) == 1;
    EVP_AEAD_CTX_cleanup(&aead);
    if (!is_opened) {
        ERR_clear_error();
        return ssl_ticket_aead_ignore_ticket;
    }
    memcpy(&read, out, sizeof read);
    if (!is_resumable(connection->answers == NULL ? connection->first : connection->answers, &read))
        return ssl_ticket_aead_ignore_ticket;
    connection->verified = (time_t)read.verified;
    *out_length = opened - sizeof read;
    memmove(out, out + sizeof read, *out_length);
    return ssl_ticket_aead_success;
}

bool tls_library_give_tickets(tls_context *context)
{
    static const SSL_TICKET_AEAD_METHOD METHOD = {overhead, seal, open_ticket};
    SSL_CTX_set_ticket_aead_method(context->ssl, &METHOD);
    return true;
}

void tls_library_lifetime(tls_context *context)
{
    (void)SSL_CTX_set_timeout(context->ssl, (uint32_t)context->lifetime_s);
    SSL_CTX_set_session_psk_dhe_timeout(context->ssl, (uint32_t)context->lifetime_s);
}

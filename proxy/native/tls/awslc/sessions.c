/* AWS-LC's tickets: encrypted with AES-256-GCM, and with what decides over them in front of the session. The library has no call for a session
 * that it has read, so a ticket is judged where it is decrypted. */
#include "../library.h"

#include <openssl/aead.h>
#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <string.h>

/* When the peer's chain was verified in a full handshake, and the dates of the peer's certificate, if it has shown one. */
typedef struct {
    int64_t verified;
    tls_dates dates;
    uint8_t is_shown, unused[7];
} stamps;

enum { NONCE = 12, TAG = 16, BEFORE = TLS_TICKET_NAME + NONCE, OVERHEAD = BEFORE + sizeof(stamps) + TAG };

static size_t overhead(SSL *ssl)
{
    (void)ssl;
    return OVERHEAD;
}

static bool begin(EVP_AEAD_CTX *aead, const tls_ticket_key *key)
{
    EVP_AEAD_CTX_zero(aead);
    return EVP_AEAD_CTX_init(aead, EVP_aead_aes_256_gcm(), key->cipher, sizeof key->cipher, TAG, NULL) == 1;
}

/* AWS-LC leaves the key as it has been expanded. */
static void end(EVP_AEAD_CTX *aead, tls_ticket_key *key)
{
    EVP_AEAD_CTX_cleanup(aead);
    OPENSSL_cleanse(aead, sizeof *aead);
    OPENSSL_cleanse(key, sizeof *key);
}

/* A ticket that follows from a resumption repeats when the peer was verified. */
static bool stamp(SSL *ssl, stamps *made)
{
    const tls_connection *connection = SSL_get_app_data(ssl);
    X509 *certificate = SSL_get0_peer_certificate(ssl);
    memset(made, 0, sizeof *made);
    made->verified = SSL_session_reused(ssl) == 1 ? (int64_t)connection->verified : (int64_t)time(NULL);
    made->is_shown = certificate != NULL;
    return certificate == NULL || tls_dates_of(certificate, &made->dates);
}

static int seal(SSL *ssl, uint8_t *out, size_t *out_length, size_t room, const uint8_t *session, size_t length)
{
    const tls_connection *connection = SSL_get_app_data(ssl);
    tls_ticket_key key;
    stamps made;
    EVP_AEAD_CTX aead;
    if (room < length + OVERHEAD)
        return 0;
    /* a session whose ticket would make a hello too long gets one that is none: its client makes a full handshake */
    if (length + OVERHEAD > TLS_TICKET_OCTETS) {
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
    size_t sealed = 0;
    bool is_sealed = begin(&aead, &key) && RAND_bytes(nonce, NONCE) == 1 &&
                     EVP_AEAD_CTX_seal(&aead, text, &sealed, room - BEFORE, nonce, NONCE, text, sizeof made + length, out, TLS_TICKET_NAME) == 1;
    end(&aead, &key);
    *out_length = BEFORE + sealed;
    return is_sealed;
}

/* A server expects no names. */
static bool is_resumable(const tls_context *answers, const stamps *read)
{
    return tls_is_within((time_t)read->verified, time(NULL), answers->lifetime_s) &&
           tls_is_valid_by_dates(answers, read->is_shown ? &read->dates : NULL, NULL);
}

static enum ssl_ticket_aead_result_t open_ticket(SSL *ssl, uint8_t *out, size_t *out_length, size_t room, const uint8_t *ticket, size_t length)
{
    tls_connection *connection = SSL_get_app_data(ssl);
    tls_ticket_key key;
    stamps read;
    EVP_AEAD_CTX aead;
    size_t opened = 0;
    if (length <= OVERHEAD || tls_find_key(connection->first, ticket, &key) == 0)
        return ssl_ticket_aead_ignore_ticket;
    bool is_begun = begin(&aead, &key);
    bool is_opened = is_begun && EVP_AEAD_CTX_open(&aead, out, &opened, room, ticket + TLS_TICKET_NAME, NONCE, ticket + BEFORE, length - BEFORE,
                                                   ticket, TLS_TICKET_NAME) == 1;
    end(&aead, &key);
    if (!is_begun)
        return ssl_ticket_aead_error;
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

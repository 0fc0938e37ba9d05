/* Resumption. A server puts a session into a ticket, under a key that is drawn here and replaced after each lifetime; a client keeps the last
 * few that it got. A peer that was verified longer than a lifetime ago, or would not pass now, makes a full handshake. */
#include "tls.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <string.h>

static bool is_within(time_t since, time_t now, long seconds)
{
    return now >= since && now - since < seconds;
}

/* Under the lock. */
static bool renew_keys(tls_context *context, time_t now)
{
    tls_ticket_key *key = &context->keys[0];
    if (key->since != 0 && is_within(key->since, now, context->lifetime_s))
        return true;
    tls_ticket_key drawn = {.since = now};
    if (RAND_bytes(drawn.name, sizeof drawn.name) != 1 || RAND_priv_bytes(drawn.cipher, sizeof drawn.cipher) != 1 ||
        RAND_priv_bytes(drawn.mac, sizeof drawn.mac) != 1)
        return false;
    context->keys[1] = *key;
    *key = drawn;
    OPENSSL_cleanse(&drawn, sizeof drawn);
    return true;
}

/* Copies the key to encrypt with, or the one of that name: 1, or 2 for the one before, or 0 for none. */
static int find_key(tls_context *context, const unsigned char *name, tls_ticket_key *found)
{
    time_t now = time(NULL);
    int place = 0;
    (void)pthread_mutex_lock(&context->lock);
    if (name == NULL) {
        place = renew_keys(context, now) ? 1 : 0;
    } else {
        for (int i = 0; i < 2 && place == 0; i++)
            if (is_within(context->keys[i].since, now, 2 * context->lifetime_s) &&
                CRYPTO_memcmp(context->keys[i].name, name, TLS_TICKET_NAME) == 0)
                place = i + 1;
    }
    if (place > 0)
        *found = context->keys[place - 1];
    (void)pthread_mutex_unlock(&context->lock);
    return place;
}

static int use_key(SSL *ssl, unsigned char *name, unsigned char *iv, EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac, int encrypts)
{
    const tls_connection *connection = SSL_get_app_data(ssl);
    tls_ticket_key key;
    int place = find_key(connection->first, encrypts ? NULL : name, &key);
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
    if (!is_within((time_t)verified, time(NULL), answers->lifetime_s) || !tls_is_still_valid(answers, SSL_SESSION_get0_peer(session)))
        return SSL_TICKET_RETURN_IGNORE_RENEW;
    /* a ticket of TLS 1.3 serves once (RFC 8446 C.4) */
    bool is_renewed = status == SSL_TICKET_SUCCESS_RENEW || SSL_version(ssl) == TLS1_3_VERSION;
    return is_renewed ? SSL_TICKET_RETURN_USE_RENEW : SSL_TICKET_RETURN_USE;
}

static int on_session(SSL *ssl, SSL_SESSION *session)
{
    tls_connection *connection = SSL_get_app_data(ssl);
    tls_context_keep(connection->first, session, connection->verified);
    return 1;
}

bool tls_context_resume(tls_context *context, const unsigned char *id, size_t length, long lifetime_s, tls_error *error)
{
    ERR_clear_error();
    if (lifetime_s <= 0 || length > SSL_MAX_SID_CTX_LENGTH ||
        SSL_CTX_set_session_id_context(context->ssl, id, (unsigned)length) != 1)
        return tls_fail(error, "sessions cannot be resumed");
    memcpy(context->session_id, id, length);
    context->session_id_length = (unsigned)length;
    context->lifetime_s = lifetime_s;
    (void)SSL_CTX_set_timeout(context->ssl, lifetime_s);
    (void)SSL_CTX_clear_options(context->ssl, SSL_OP_NO_TICKET);
    if (!context->is_server) {
        (void)SSL_CTX_set_session_cache_mode(context->ssl, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
        SSL_CTX_sess_set_new_cb(context->ssl, on_session);
        return true;
    }
    /* one ticket for each connection is enough: each resumption brings another */
    return (SSL_CTX_set_num_tickets(context->ssl, 1) == 1 && SSL_CTX_set_tlsext_ticket_key_evp_cb(context->ssl, use_key) == 1 &&
            SSL_CTX_set_session_ticket_cb(context->ssl, on_ticket_made, on_ticket_read, NULL) == 1) ||
           tls_fail(error, "sessions cannot be resumed");
}

void tls_context_keep(tls_context *context, SSL_SESSION *session, time_t verified)
{
    SSL_SESSION *oldest = NULL;
    (void)pthread_mutex_lock(&context->lock);
    if (context->kept_count == TLS_KEPT_SESSIONS) {
        oldest = context->kept[0].session;
        memmove(context->kept, context->kept + 1, sizeof *context->kept * --context->kept_count);
    }
    context->kept[context->kept_count++] = (tls_kept){.session = session, .verified = verified};
    (void)pthread_mutex_unlock(&context->lock);
    SSL_SESSION_free(oldest);
}

void tls_connection_resume(tls_connection *connection)
{
    tls_context *context = connection->first;
    tls_kept kept = {.session = NULL};
    (void)pthread_mutex_lock(&context->lock);
    if (context->kept_count > 0)
        kept = context->kept[--context->kept_count];
    (void)pthread_mutex_unlock(&context->lock);
    if (kept.session == NULL)
        return;
    /* one that is not fit is dropped, and the handshake is a full one */
    if (is_within(kept.verified, time(NULL), context->lifetime_s) &&
        tls_is_still_valid(context, SSL_SESSION_get0_peer(kept.session)) && SSL_set_session(connection->ssl, kept.session) == 1)
        connection->verified = kept.verified;
    SSL_SESSION_free(kept.session);
}

void tls_sessions_free(tls_context *context)
{
    for (size_t i = 0; i < context->kept_count; i++)
        SSL_SESSION_free(context->kept[i].session);
    OPENSSL_cleanse(context->keys, sizeof context->keys);
}

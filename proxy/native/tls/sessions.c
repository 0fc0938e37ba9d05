/* Resumption. A server puts a session into a ticket, under a key that is drawn here and replaced after each lifetime; a client keeps the last
 * few that it got from each peer. A full handshake follows where the peer was verified longer than a lifetime ago, where its own certificate is not
 * valid now or lacks the names that are expected now, and where a list is outdated; nothing else is looked at again. */
#include "library.h"

#include <openssl/err.h>
#include <openssl/rand.h>
#include <string.h>

bool tls_is_within(time_t since, time_t now, long seconds)
{
    return now >= since && now - since < seconds;
}

/* Under the lock. */
static bool renew_keys(tls_context *context, time_t now)
{
    tls_ticket_key *key = &context->keys[0];
    if (key->since != 0 && tls_is_within(key->since, now, context->lifetime_s))
        return true;
    tls_ticket_key drawn = {.since = now};
    bool is_drawn = RAND_bytes(drawn.name, sizeof drawn.name) == 1 && RAND_priv_bytes(drawn.cipher, sizeof drawn.cipher) == 1 &&
                    RAND_priv_bytes(drawn.mac, sizeof drawn.mac) == 1;
    if (is_drawn) {
        context->keys[1] = *key;
        *key = drawn;
    }
    OPENSSL_cleanse(&drawn, sizeof drawn);
    return is_drawn;
}

int tls_find_key(tls_context *context, const unsigned char *name, tls_ticket_key *found)
{
    time_t now = time(NULL);
    int place = 0;
    (void)pthread_mutex_lock(&context->lock);
    if (name == NULL) {
        place = renew_keys(context, now) ? 1 : 0;
    } else {
        for (int i = 0; i < 2 && place == 0; i++)
            if (tls_is_within(context->keys[i].since, now, 2 * context->lifetime_s) &&
                CRYPTO_memcmp(context->keys[i].name, name, TLS_TICKET_NAME) == 0)
                place = i + 1;
    }
    if (place > 0)
        *found = context->keys[place - 1];
    (void)pthread_mutex_unlock(&context->lock);
    return place;
}

static int on_session(SSL *ssl, SSL_SESSION *session)
{
    tls_connection_keep(SSL_get_app_data(ssl), session);
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
    tls_library_lifetime(context);
    (void)SSL_CTX_clear_options(context->ssl, SSL_OP_NO_TICKET);
    if (!context->is_server) {
        (void)SSL_CTX_set_session_cache_mode(context->ssl, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
        SSL_CTX_sess_set_new_cb(context->ssl, on_session);
        return true;
    }
    /* one ticket for each connection is enough: each resumption brings another */
    return (SSL_CTX_set_num_tickets(context->ssl, 1) == 1 && tls_library_give_tickets(context)) ||
           tls_fail(error, "sessions cannot be resumed");
}

/* Under the lock: takes a session out, and those behind it move up. */
static tls_kept take(tls_context *context, size_t place)
{
    tls_kept taken = context->kept[place];
    memmove(context->kept + place, context->kept + place + 1, sizeof *context->kept * (--context->kept_count - place));
    return taken;
}

/* Under the lock. */
static size_t kept_with(const tls_context *context, uint64_t peer)
{
    size_t count = 0;
    for (size_t i = 0; i < context->kept_count; i++)
        count += context->kept[i].peer == peer;
    return count;
}

/* Under the lock: the session that goes for a new one with that peer, which is the oldest of those with who has the most. So each of up to
 * TLS_KEPT_SESSIONS peers keeps one, however many tickets each of them gives. Those that are too old to serve count as the most. */
static size_t surplus(const tls_context *context, uint64_t peer)
{
    time_t now = time(NULL);
    size_t place = 0, most = 0;
    for (size_t i = 0; i < context->kept_count; i++) {
        const tls_kept *kept = &context->kept[i];
        size_t count = tls_is_within(kept->verified, now, context->lifetime_s) ? kept_with(context, kept->peer) : TLS_KEPT_WITH_PEER;
        count += kept->peer == peer;
        if (count > most) {
            most = count;
            place = i;
        }
    }
    return place;
}

void tls_connection_keep(const tls_connection *connection, SSL_SESSION *session)
{
    tls_context *context = connection->first;
    SSL_SESSION *left = NULL;
    (void)pthread_mutex_lock(&context->lock);
    if (context->kept_count == TLS_KEPT_SESSIONS || kept_with(context, connection->peer) == TLS_KEPT_WITH_PEER)
        left = take(context, surplus(context, connection->peer)).session;
    context->kept[context->kept_count++] = (tls_kept){.session = session, .peer = connection->peer, .verified = connection->verified};
    (void)pthread_mutex_unlock(&context->lock);
    SSL_SESSION_free(left);
}

void tls_connection_resume(tls_connection *connection)
{
    tls_context *context = connection->first;
    tls_kept kept = {.session = NULL};
    (void)pthread_mutex_lock(&context->lock);
    size_t place = context->kept_count;
    while (place > 0 && context->kept[place - 1].peer != connection->peer)
        place--;
    if (place > 0)
        kept = take(context, place - 1);
    (void)pthread_mutex_unlock(&context->lock);
    if (kept.session == NULL)
        return;
    /* one that is not fit is dropped, and the handshake is a full one */
    if (tls_is_within(kept.verified, time(NULL), context->lifetime_s) &&
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

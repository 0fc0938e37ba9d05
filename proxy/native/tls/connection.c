/* One connection: content in, records out, and the other way round. */
#include "library.h"

#include <limits.h>
#include <string.h>

void tls_on_event(const SSL *ssl, int event, int value)
{
    tls_connection *connection = SSL_get_app_data(ssl);
    if (connection == NULL)
        return;
    if (event == SSL_CB_WRITE_ALERT && (value & 0xff) == SSL_AD_NO_RENEGOTIATION)
        connection->is_renegotiated = true;
    else if (connection->is_established && (event & SSL_CB_LOOP) != 0)
        connection->idle_steps++;
}

tls_connection *tls_connection_new(tls_context *context, const char *server_name, tls_error *error)
{
    tls_forget_errors();
    tls_connection *connection = OPENSSL_zalloc(sizeof *connection);
    BIO *bio = connection == NULL ? NULL : tls_buffers_new(connection);
    SSL *ssl = bio == NULL ? NULL : SSL_new(context->ssl);
    if (ssl == NULL || (server_name != NULL && SSL_set_tlsext_host_name(ssl, server_name) != 1)) {
        (void)tls_fail(error, "no connection");
        SSL_free(ssl);
        BIO_free(bio);
        OPENSSL_free(connection);
        return NULL;
    }
    SSL_set_bio(ssl, bio, bio);
    SSL_set_app_data(ssl, connection);
    connection->ssl = ssl;
    tls_library_begin(ssl);
    connection->first = tls_context_hold(context);
    if (context->is_server) {
        SSL_set_accept_state(ssl);
    } else {
        SSL_set_connect_state(ssl);
        connection->answers = context;
        connection->verified = time(NULL);
    }
    return connection;
}

void tls_connection_free(tls_connection *connection)
{
    /* else OpenSSL would take the end for a truncation, and let nobody resume the session */
    if (connection->failure == TLS_FAILURE_NONE)
        SSL_set_shutdown(connection->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    SSL_free(connection->ssl);
    tls_context_release(connection->first);
    OPENSSL_clear_free(connection->flight, connection->flight_room);
    OPENSSL_free(connection->reason);
    OPENSSL_free(connection);
    tls_forget_errors();
}

/* What a call that did not succeed comes to. */
static void judge(tls_connection *connection, int result)
{
    switch (SSL_get_error(connection->ssl, result)) {
    case SSL_ERROR_WANT_READ:
        break;
    case SSL_ERROR_ZERO_RETURN:
        connection->is_input_closed = true;
        break;
    default:
        tls_connection_fail(connection);
    }
    tls_forget_errors();
}

static void handshake(tls_connection *connection)
{
    tls_forget_errors();
    int result = SSL_do_handshake(connection->ssl);
    if (result != 1) {
        judge(connection, result);
        return;
    }
    connection->is_established = true;
    tls_library_rest(connection);
    bool is_client = !connection->first->is_server, is_resumed = SSL_session_reused(connection->ssl) == 1;
    if (is_client && !is_resumed)
        connection->verified = time(NULL);
    /* a server of TLS 1.2 need not give another ticket */
    if (is_client && is_resumed && SSL_version(connection->ssl) == TLS1_2_VERSION)
        tls_connection_keep(connection, SSL_get1_session(connection->ssl));
}

void tls_connection_towards(tls_connection *connection, uint64_t peer) { connection->peer = peer; }

void tls_connection_start(tls_connection *connection)
{
    if (connection->first->is_server || connection->failure != TLS_FAILURE_NONE)
        return;
    tls_connection_resume(connection);
    handshake(connection);
}

/* Whether another read may bring anything. */
static bool goes_on(const tls_connection *connection)
{
    return connection->is_established && connection->failure == TLS_FAILURE_NONE && !connection->is_input_closed &&
           (connection->in_left > 0 || SSL_pending(connection->ssl) > 0);
}

/* Ends a connection that OpenSSL would let go on, with an alert to the peer (RFC 5246 7.2.1). */
static void end_with(tls_connection *connection, enum tls_failure failure, const char *reason)
{
    if (connection->failure == TLS_FAILURE_NONE)
        (void)SSL_shutdown(connection->ssl);
    tls_connection_fail_with(connection, failure, reason);
}

static size_t read_content(tls_connection *connection, unsigned char *content, size_t room)
{
    size_t length = 0;
    while (goes_on(connection)) {
        if (length == room) {
            tls_connection_fail_with(connection, TLS_FAILURE_INTERNAL, "no room for what has come");
            break;
        }
        size_t most = room - length < INT_MAX ? room - length : INT_MAX;
        tls_forget_errors();
        int result = SSL_read(connection->ssl, content + length, (int)most);
        if (result > 0) {
            length += (size_t)result;
            connection->idle_steps = 0;
        } else {
            judge(connection, result);
        }
        if (connection->is_renegotiated)
            end_with(connection, TLS_FAILURE_RENEGOTIATION, "renegotiation is switched off");
        else if (connection->idle_steps > TLS_IDLE_STEPS)
            end_with(connection, TLS_FAILURE_PROTOCOL, "too many messages without content");
    }
    return length;
}

size_t tls_connection_decrypt(tls_connection *connection, const void *in, size_t length, void *content, size_t room)
{
    size_t read = 0;
    if (connection->failure != TLS_FAILURE_NONE || connection->is_input_closed)
        return 0;
    connection->in = in;
    connection->in_left = length;
    if (!connection->is_established)
        handshake(connection);
    if (connection->is_established)
        read = read_content(connection, content, room);
    if (connection->is_established && read == 0)
        tls_library_rest(connection);
    connection->in = NULL;
    connection->in_left = 0;
    return read;
}

size_t tls_connection_wire_room(const tls_connection *connection, size_t length)
{
    size_t records = length / SSL3_RT_MAX_PLAIN_LENGTH + 1;
    return connection->flight_length + TLS_BEFORE_RECORDS + length + records * TLS_RECORD_OVERHEAD;
}

size_t tls_connection_encrypt(tls_connection *connection, const void *content, size_t length, void *out, size_t room)
{
    const unsigned char *at = content;
    if (connection->failure != TLS_FAILURE_NONE || !connection->is_established || connection->is_output_closed)
        return 0;
    if (room < tls_connection_wire_room(connection, length)) {
        tls_connection_fail_with(connection, TLS_FAILURE_INTERNAL, "no room for records");
        return 0;
    }
    size_t moved = tls_connection_take_flight(connection, out, room);
    connection->out = (unsigned char *)out + moved;
    connection->out_left = room - moved;
    while (length > 0) {
        tls_forget_errors();
        int result = SSL_write(connection->ssl, at, length < INT_MAX ? (int)length : INT_MAX);
        if (result <= 0) {
            tls_connection_fail(connection);
            break;
        }
        at += result;
        length -= (size_t)result;
    }
    size_t made = room - connection->out_left;
    connection->out = NULL;
    connection->out_left = 0;
    return made;
}

size_t tls_connection_take_flight(tls_connection *connection, void *out, size_t room)
{
    size_t count = connection->flight_length < room ? connection->flight_length : room;
    if (count == 0)
        return 0;
    memcpy(out, connection->flight, count);
    connection->flight_length -= count;
    if (connection->flight_length > 0) {
        memmove(connection->flight, connection->flight + count, connection->flight_length);
    } else {
        OPENSSL_free(connection->flight);
        connection->flight = NULL;
        connection->flight_room = 0;
    }
    return count;
}

void tls_connection_close(tls_connection *connection)
{
    if (connection->is_output_closed)
        return;
    connection->is_output_closed = true;
    if (connection->is_established && connection->failure == TLS_FAILURE_NONE)
        (void)SSL_shutdown(connection->ssl);
    tls_forget_errors();
}

X509 *tls_connection_peer(const tls_connection *connection, size_t place)
{
    if (place == 0)
        return SSL_get0_peer_certificate(connection->ssl);
    /* a server's has the client's own certificate apart */
    STACK_OF(X509) *chain = SSL_get_peer_cert_chain(connection->ssl);
    size_t at = connection->first->is_server ? place - 1 : place;
    return at < INT_MAX && (tls_place)at < sk_X509_num(chain) ? sk_X509_value(chain, (tls_place)at) : NULL;
}

X509 *tls_connection_own(const tls_connection *connection)
{
    const tls_context *context = connection->answers == NULL ? connection->first : connection->answers;
    return SSL_CTX_get0_certificate(context->ssl);
}

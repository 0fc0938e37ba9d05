/* The BIO of a connection: it reads from the buffer of the call in progress and writes to that call's, where it has one, else to the flight,
 * which is kept until it is taken. OpenSSL's own memory BIO would copy each record once more, and keep its buffer. */
#include "tls.h"

#include <string.h>

static BIO_METHOD *method;

static bool grow(tls_connection *connection, size_t needed)
{
    if (needed > TLS_FLIGHT_OCTETS)
        return false;
    if (needed > connection->flight_room) {
        size_t room = needed < 1024 ? 1024 : needed + needed / 4;
        unsigned char *flight = OPENSSL_realloc(connection->flight, room);
        if (flight == NULL)
            return false;
        connection->flight = flight;
        connection->flight_room = room;
    }
    return true;
}

/* Tells the client, in the clear as no key is agreed on by then, what OpenSSL tells it of a message that is too long. */
static void tell_too_long(tls_connection *connection)
{
    static const unsigned char ALERT[] = {SSL3_RT_ALERT, 3, 3, 0, 2, SSL3_AL_FATAL, SSL_AD_ILLEGAL_PARAMETER};
    if (!grow(connection, connection->flight_length + sizeof ALERT))
        return;
    memcpy(connection->flight + connection->flight_length, ALERT, sizeof ALERT);
    connection->flight_length += sizeof ALERT;
}

/* Looks at the header of a client's hello, before OpenSSL does, wherever records divide it. A second one follows in TLS 1.3 only, and only
 * that may look like one; what else follows is none, or is encrypted. */
static void look_at_hello(tls_connection *connection, const unsigned char *octets, size_t count)
{
    if (!connection->first->is_server || connection->hellos == 2 || connection->record_type != SSL3_RT_HANDSHAKE ||
        (connection->hellos == 1 && connection->hello_left == 0 && SSL_version(connection->ssl) != TLS1_3_VERSION))
        return;
    while (count > 0 && connection->hellos < 2) {
        if (connection->hello_left > 0) {
            size_t step = connection->hello_left < count ? connection->hello_left : count;
            connection->hello_left -= (unsigned)step;
            octets += step;
            count -= step;
            continue;
        }
        connection->hello[connection->hello_header++] = *octets;
        octets++;
        count--;
        if (connection->hello_header == sizeof connection->hello) {
            const unsigned char *header = connection->hello;
            connection->hello_left = (unsigned)header[1] << 16 | (unsigned)header[2] << 8 | header[3];
            connection->hello_header = 0;
            connection->hellos++;
            if (header[0] == SSL3_MT_CLIENT_HELLO && connection->hello_left > TLS_HELLO_OCTETS) {
                tell_too_long(connection);
                tls_connection_fail_with(connection, TLS_FAILURE_PROTOCOL, "the hello is too long");
            }
        }
    }
}

/* Keeps count of the record that has not come whole, by the length in its header. */
static void follow(tls_connection *connection, const unsigned char *octets, size_t count)
{
    while (count > 0) {
        size_t step = 1;
        if (connection->record_octets < SSL3_RT_HEADER_LENGTH) {
            if (connection->record_octets == 0)
                connection->record_type = *octets;
            if (connection->record_octets >= 3)
                connection->record_length = connection->record_length << 8 | *octets;
        } else {
            size_t left = connection->record_length + SSL3_RT_HEADER_LENGTH - connection->record_octets;
            step = left < count ? left : count;
            if (!connection->is_established)
                look_at_hello(connection, octets, step);
        }
        connection->record_octets += (unsigned)step;
        octets += step;
        count -= step;
        if (connection->record_octets >= SSL3_RT_HEADER_LENGTH &&
            connection->record_octets >= connection->record_length + SSL3_RT_HEADER_LENGTH)
            connection->record_octets = connection->record_length = 0;
    }
}

static int read_in(BIO *bio, char *to, int length)
{
    tls_connection *connection = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (connection == NULL || length <= 0)
        return 0;
    size_t count = connection->in_left < (size_t)length ? connection->in_left : (size_t)length;
    if (count == 0) {
        BIO_set_retry_read(bio);
        return -1;
    }
    memcpy(to, connection->in, count);
    follow(connection, connection->in, count);
    connection->in += count;
    connection->in_left -= count;
    return connection->failure == TLS_FAILURE_NONE ? (int)count : -1;
}

static int write_out(BIO *bio, const char *from, int length)
{
    tls_connection *connection = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (connection == NULL || length <= 0)
        return 0;
    size_t count = (size_t)length;
    /* what is in the flight goes first */
    if (connection->out != NULL && connection->flight_length == 0 && connection->out_left >= count) {
        memcpy(connection->out, from, count);
        connection->out += count;
        connection->out_left -= count;
        return length;
    }
    if (!grow(connection, connection->flight_length + count))
        return -1;
    memcpy(connection->flight + connection->flight_length, from, count);
    connection->flight_length += count;
    return length;
}

static long control(BIO *bio, int command, long number, void *pointer)
{
    (void)bio;
    (void)number;
    (void)pointer;
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

bool tls_buffers_start(void)
{
    method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "buffers");
    return method != NULL && BIO_meth_set_read(method, read_in) == 1 && BIO_meth_set_write(method, write_out) == 1 &&
           BIO_meth_set_ctrl(method, control) == 1;
}

BIO *tls_buffers_new(tls_connection *connection)
{
    BIO *bio = BIO_new(method);
    if (bio != NULL) {
        BIO_set_data(bio, connection);
        BIO_set_init(bio, 1);
    }
    return bio;
}

/* What Java calls on connections. */
#include "jni_tls.h"

#include <openssl/x509.h>

/* The state of a connection, as OpenSslSession reads it; below, in 32 bits, what the call has made. */
static const jlong ESTABLISHED = 1LL << 32, INPUT_CLOSED = 1LL << 33, FAILED = 1LL << 34, HAS_FLIGHT = 1LL << 35;
enum { RECORD_SHIFT = 36 };

static tls_connection *connection_of(jlong number) { return (tls_connection *)(uintptr_t)number; }

static void *address_of(jlong number) { return (void *)(uintptr_t)number; }

static jlong state_of(const tls_connection *connection, size_t made)
{
    jlong state = (jlong)(uint32_t)made | (jlong)connection->record_octets << RECORD_SHIFT;
    state |= connection->is_established ? ESTABLISHED : 0;
    state |= connection->is_input_closed ? INPUT_CLOSED : 0;
    state |= connection->failure != TLS_FAILURE_NONE ? FAILED : 0;
    state |= connection->flight_length > 0 ? HAS_FLIGHT : 0;
    return state;
}

JAVA(jlong, newConnection)(JNIEnv *env, jclass type, jlong context, jstring server_name, jlong peer)
{
    (void)type;
    tls_error error;
    const char *name = server_name == NULL ? NULL : (*env)->GetStringUTFChars(env, server_name, NULL);
    tls_connection *connection =
        server_name != NULL && name == NULL ? NULL : tls_connection_new(context_of(context), name, &error);
    if (name != NULL)
        (*env)->ReleaseStringUTFChars(env, server_name, name);
    if (connection != NULL)
        tls_connection_towards(connection, (uint64_t)peer);
    return (jlong)(uintptr_t)connection;
}

JAVA(void, freeConnection)(JNIEnv *env, jclass type, jlong connection)
{
    (void)env;
    (void)type;
    tls_connection_free(connection_of(connection));
}

JAVA(jlong, start)(JNIEnv *env, jclass type, jlong connection)
{
    (void)env;
    (void)type;
    tls_connection_start(connection_of(connection));
    return state_of(connection_of(connection), 0);
}

JAVA(jlong, decrypt)(JNIEnv *env, jclass type, jlong connection, jlong in, jint length, jlong content, jint room)
{
    (void)env;
    (void)type;
    if (length < 0 || room < 0)
        return FAILED;
    size_t read = tls_connection_decrypt(connection_of(connection), address_of(in), (size_t)length, address_of(content), (size_t)room);
    return state_of(connection_of(connection), read);
}

JAVA(jlong, encrypt)(JNIEnv *env, jclass type, jlong connection, jlong content, jint length, jlong out, jint room)
{
    (void)env;
    (void)type;
    if (length < 0 || room < 0)
        return FAILED;
    size_t made = tls_connection_encrypt(connection_of(connection), address_of(content), (size_t)length, address_of(out), (size_t)room);
    return state_of(connection_of(connection), made);
}

JAVA(jlong, close)(JNIEnv *env, jclass type, jlong connection)
{
    (void)env;
    (void)type;
    tls_connection_close(connection_of(connection));
    return state_of(connection_of(connection), 0);
}

JAVA(jint, flightLength)(JNIEnv *env, jclass type, jlong connection)
{
    (void)env;
    (void)type;
    return (jint)connection_of(connection)->flight_length;
}

JAVA(jint, takeFlight)(JNIEnv *env, jclass type, jlong connection, jlong out, jint room)
{
    (void)env;
    (void)type;
    return room < 0 ? 0 : (jint)tls_connection_take_flight(connection_of(connection), address_of(out), (size_t)room);
}

JAVA(jint, failure)(JNIEnv *env, jclass type, jlong connection)
{
    (void)env;
    (void)type;
    return (jint)connection_of(connection)->failure;
}

JAVA(jstring, reason)(JNIEnv *env, jclass type, jlong connection)
{
    (void)type;
    const char *reason = connection_of(connection)->reason;
    return (*env)->NewStringUTF(env, reason == NULL ? "" : reason);
}

JAVA(jint, negotiatedVersion)(JNIEnv *env, jclass type, jlong connection)
{
    (void)env;
    (void)type;
    return SSL_version(connection_of(connection)->ssl);
}

JAVA(jstring, cipher)(JNIEnv *env, jclass type, jlong connection)
{
    (void)type;
    const SSL_CIPHER *cipher = SSL_get_current_cipher(connection_of(connection)->ssl);
    const char *name = cipher == NULL ? NULL : SSL_CIPHER_standard_name(cipher);
    return (*env)->NewStringUTF(env, name == NULL ? "" : name);
}

/* One of those that were configured, on either side: OpenSSL refuses a server's choice of another. */
JAVA(jbyteArray, protocol)(JNIEnv *env, jclass type, jlong connection)
{
    (void)type;
    const unsigned char *name;
    unsigned length;
    SSL_get0_alpn_selected(connection_of(connection)->ssl, &name, &length);
    jbyteArray octets = length == 0 ? NULL : (*env)->NewByteArray(env, (jsize)length);
    if (octets != NULL)
        (*env)->SetByteArrayRegion(env, octets, 0, (jsize)length, (const jbyte *)name);
    return octets;
}

JAVA(jboolean, isResumed)(JNIEnv *env, jclass type, jlong connection)
{
    (void)env;
    (void)type;
    return SSL_session_reused(connection_of(connection)->ssl) == 1 ? JNI_TRUE : JNI_FALSE;
}

static jbyteArray der_of(JNIEnv *env, X509 *certificate)
{
    unsigned char *der = NULL;
    int length = certificate == NULL ? 0 : i2d_X509(certificate, &der);
    jbyteArray octets = length <= 0 ? NULL : (*env)->NewByteArray(env, length);
    if (octets != NULL)
        (*env)->SetByteArrayRegion(env, octets, 0, length, (const jbyte *)der);
    OPENSSL_free(der);
    return octets;
}

/* The peer's certificate at place in DER, NULL behind the last. */
JAVA(jbyteArray, peer)(JNIEnv *env, jclass type, jlong connection, jint place)
{
    (void)type;
    return der_of(env, place < 0 ? NULL : tls_connection_peer(connection_of(connection), (size_t)place));
}

/* This side's own certificate in DER, NULL where it has none. */
JAVA(jbyteArray, own)(JNIEnv *env, jclass type, jlong connection)
{
    (void)type;
    return der_of(env, tls_connection_own(connection_of(connection)));
}

/* For buffers whose address Netty may not ask for. */
JAVA(jlong, address)(JNIEnv *env, jclass type, jobject buffer)
{
    (void)type;
    return (jlong)(uintptr_t)(*env)->GetDirectBufferAddress(env, buffer);
}

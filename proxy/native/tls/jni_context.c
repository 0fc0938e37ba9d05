/* Functions that Java calls to start the library and to make contexts. Every failure is returned in words. */
#include "jni_tls.h"
#include "library.h"

#include <openssl/crypto.h>

/* NULL for what went well. */
static jstring told(JNIEnv *env, bool is_well, const tls_error *error)
{
    return is_well ? NULL : (*env)->NewStringUTF(env, error->text);
}

typedef bool octets_taker(tls_context *context, const unsigned char *octets, size_t length, tls_error *error);
typedef bool text_taker(tls_context *context, const char *text, tls_error *error);

static jstring take_octets(JNIEnv *env, octets_taker *taker, jlong context, jbyteArray octets)
{
    tls_error error = {"no memory"};
    jboolean is_copy = JNI_FALSE;
    jbyte *bytes = (*env)->GetByteArrayElements(env, octets, &is_copy);
    bool is_well = false;
    if (bytes != NULL) {
        jsize length = (*env)->GetArrayLength(env, octets);
        is_well = taker(context_of(context), (const unsigned char *)bytes, (size_t)length, &error);
        /* it may be a key */
        if (is_copy == JNI_TRUE)
            OPENSSL_cleanse(bytes, (size_t)length);
        (*env)->ReleaseByteArrayElements(env, octets, bytes, JNI_ABORT);
    }
    return told(env, is_well, &error);
}

/* Gives back the characters of a text, which are NULL where there was no memory for them. */
static jstring told_of(JNIEnv *env, jstring text, const char *characters, bool is_well, const tls_error *error)
{
    if (characters != NULL)
        (*env)->ReleaseStringUTFChars(env, text, characters);
    return told(env, is_well, error);
}

static jstring take_text(JNIEnv *env, text_taker *taker, jlong context, jstring text)
{
    tls_error error = {"no memory"};
    const char *characters = (*env)->GetStringUTFChars(env, text, NULL);
    bool is_well = characters != NULL && taker(context_of(context), characters, &error);
    return told_of(env, text, characters, is_well, &error);
}

JAVA(jstring, begin)(JNIEnv *env, jclass type)
{
    (void)type;
    tls_error error;
    return told(env, tls_start(&error), &error);
}

JAVA(jstring, version)(JNIEnv *env, jclass type)
{
    (void)type;
    char name[64];
    tls_library_name(name, sizeof name);
    return (*env)->NewStringUTF(env, name);
}

/* Whether the processor has instructions for AES, without which ChaCha20 is the faster. */
JAVA(jboolean, hasAes)(JNIEnv *env, jclass type)
{
    (void)env;
    (void)type;
    __builtin_cpu_init();
    return __builtin_cpu_supports("aes") ? JNI_TRUE : JNI_FALSE;
}

JAVA(jlong, allocated)(JNIEnv *env, jclass type)
{
    (void)env;
    (void)type;
    return tls_allocated();
}

JAVA(jlong, newContext)(JNIEnv *env, jclass type, jboolean is_server)
{
    (void)env;
    (void)type;
    tls_error error;
    return (jlong)(uintptr_t)tls_context_new(is_server == JNI_TRUE, &error);
}

JAVA(void, releaseContext)(JNIEnv *env, jclass type, jlong context)
{
    (void)env;
    (void)type;
    tls_context_release(context_of(context));
}

JAVA(jstring, versions)(JNIEnv *env, jclass type, jlong context, jint least, jint most)
{
    (void)type;
    tls_error error;
    return told(env, tls_context_versions(context_of(context), least, most, &error), &error);
}

JAVA(jstring, ciphers)(JNIEnv *env, jclass type, jlong context, jstring names)
{
    (void)type;
    return take_text(env, tls_context_ciphers, context, names);
}

JAVA(jstring, groups)(JNIEnv *env, jclass type, jlong context, jstring names)
{
    (void)type;
    return take_text(env, tls_context_groups, context, names);
}

JAVA(jstring, protocols)(JNIEnv *env, jclass type, jlong context, jbyteArray names)
{
    (void)type;
    return take_octets(env, tls_context_protocols, context, names);
}

static bool take_own(tls_context *context, const unsigned char *der, size_t length, tls_error *error)
{
    return tls_context_certificate(context, der, length, true, error);
}

static bool take_above(tls_context *context, const unsigned char *der, size_t length, tls_error *error)
{
    return tls_context_certificate(context, der, length, false, error);
}

JAVA(jstring, certificate)(JNIEnv *env, jclass type, jlong context, jbyteArray der, jboolean is_own)
{
    (void)type;
    return take_octets(env, is_own == JNI_TRUE ? take_own : take_above, context, der);
}

JAVA(jstring, key)(JNIEnv *env, jclass type, jlong context, jbyteArray der)
{
    (void)type;
    return take_octets(env, tls_context_key, context, der);
}

JAVA(jstring, trust)(JNIEnv *env, jclass type, jlong context, jbyteArray der)
{
    (void)type;
    return take_octets(env, tls_context_trust, context, der);
}

JAVA(jstring, list)(JNIEnv *env, jclass type, jlong context, jbyteArray der)
{
    (void)type;
    return take_octets(env, tls_context_list, context, der);
}

JAVA(void, ask)(JNIEnv *env, jclass type, jlong context, jboolean is_required)
{
    (void)env;
    (void)type;
    tls_context_ask(context_of(context), is_required == JNI_TRUE);
}

static bool take_host(tls_context *context, const char *name, tls_error *error)
{
    return tls_name_add(&context->hosts, name) || tls_fail(error, "not the name of a host");
}

static bool take_uri(tls_context *context, const char *name, tls_error *error)
{
    return tls_name_add(&context->uris, name) || tls_fail(error, "not a URI");
}

JAVA(jstring, host)(JNIEnv *env, jclass type, jlong context, jstring name)
{
    (void)type;
    return take_text(env, take_host, context, name);
}

JAVA(jstring, uri)(JNIEnv *env, jclass type, jlong context, jstring name)
{
    (void)type;
    return take_text(env, take_uri, context, name);
}

JAVA(jstring, serve)(JNIEnv *env, jclass type, jlong context, jstring name, jlong answers)
{
    (void)type;
    tls_error error = {"no memory"};
    const char *characters = (*env)->GetStringUTFChars(env, name, NULL);
    bool is_well = characters != NULL && tls_context_serve(context_of(context), characters, context_of(answers), &error);
    return told_of(env, name, characters, is_well, &error);
}

JAVA(jstring, resume)(JNIEnv *env, jclass type, jlong context, jint id, jint lifetime_s)
{
    (void)type;
    tls_error error;
    return told(env, tls_context_resume(context_of(context), (const unsigned char *)&id, sizeof id, lifetime_s, &error), &error);
}

/* What both parts of the Java side's natives share. A context and a connection are numbers in io.remora.tls.openssl.OpenSsl, which hands them in
 * as long as they live. */
#ifndef REMORA_TLS_JNI_H
#define REMORA_TLS_JNI_H

#include "tls.h"

#include <jni.h>

#define JAVA(type, name) JNIEXPORT type JNICALL Java_io_remora_tls_openssl_OpenSsl_##name

static inline tls_context *context_of(jlong number) { return (tls_context *)(uintptr_t)number; }

#endif

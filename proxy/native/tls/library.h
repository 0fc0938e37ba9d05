/* The differences between the libraries. The folder of each, openssl/ and awslc/, has all of these functions, and is compiled together with the
 * files here. */
#ifndef REMORA_TLS_LIBRARY_H
#define REMORA_TLS_LIBRARY_H

#include "tls.h"

/* Once for the process. */
bool tls_library_start(bool *is_counted, tls_error *error);
/* Name and version, for example "AWS-LC 5.12.0". */
void tls_library_name(char *name, size_t room);

/* Sets up a context as no configuration changes it: 112 bits of security, as OpenSSL's level 2 has it, and no early data. */
bool tls_library_prepare(tls_context *context);
/* The library's name for a cipher of IANA's; NULL for one that it lacks. */
const char *tls_library_cipher(const char *name);
/* The suites of 1.3 and those before, with colons between, by the names above; either may be empty. */
bool tls_library_ciphers(tls_context *context, const char *newer, const char *older);
/* IANA's names, with colons between. */
bool tls_library_groups(tls_context *context, const char *names);
/* Returns the failure for a reason of errors in the library of TLS that the other library lacks; else TLS_FAILURE_NONE. */
enum tls_failure tls_library_failure(int reason);

/* Returns why a certificate cannot be shown by this side, as far as its key and its signature are of an unknown kind or below 112 bits; NULL for
 * nothing, or where the library says so by itself. */
const char *tls_library_weakness(X509 *certificate, bool is_own);
/* Returns the error of the path that was found: why, which is the error so far, or what the path has below 112 bits if OpenSSL says that first. */
int tls_library_judge(X509_STORE_CTX *store, int why);
/* The error whose alert is the one to send for why. */
int tls_library_alert_of(int why);

/* Has a server give tickets and take them. */
bool tls_library_give_tickets(tls_context *context);
/* Has sessions end when the context's lifetime does. */
void tls_library_lifetime(tls_context *context);

void tls_library_begin(SSL *ssl);
/* After a handshake, and after records that brought no content: releases what is idle, and sends what waits. */
void tls_library_rest(tls_connection *connection);

#endif

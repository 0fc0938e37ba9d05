/* Which certificate answers a client, by the name that its hello asks for (RFC 6066 3). This is decided before a session is looked for, so that a
 * session is resumed only where its certificate would answer. */
#include "tls.h"

#include <openssl/evp.h>
#include <string.h>
#include <strings.h>

static bool share_trust(const tls_context *context, tls_context *answers)
{
    STACK_OF(X509_NAME) *told = SSL_CTX_get_client_CA_list(context->ssl);
    SSL_CTX_set1_cert_store(answers->ssl, SSL_CTX_get_cert_store(context->ssl));
    memcpy(answers->trusted, context->trusted, TLS_DIGEST);
    if (!tls_lists_share(context, answers))
        return false;
    if (told == NULL)
        return true;
    STACK_OF(X509_NAME) *copy = SSL_dup_CA_list(told);
    if (copy != NULL)
        SSL_CTX_set_client_CA_list(answers->ssl, copy);
    return copy != NULL;
}

bool tls_context_serve(tls_context *context, const char *name, tls_context *answers, tls_error *error)
{
    if (answers != context) {
        context->is_shared = answers->is_shared = true;
        if (!share_trust(context, answers))
            return tls_fail(error, "no memory");
    }
    if (!tls_name_add(&context->served, name))
        return tls_fail(error, "not a name to serve");
    tls_name *last = context->served;
    while (last->next != NULL)
        last = last->next;
    /* a context that held itself would never go */
    last->answers = answers == context ? context : tls_context_hold(answers);
    return true;
}

static bool is_equal(const char *expected, const char *name, size_t length)
{
    return strlen(expected) == length && strncasecmp(expected, name, length) == 0;
}

/* Exact names first, then those whose wildcard stands for the first label. */
static tls_context *find(const tls_context *context, const char *name, size_t length)
{
    const char *dot = memchr(name, '.', length);
    for (const tls_name *served = context->served; served != NULL; served = served->next)
        if (is_equal(served->text, name, length))
            return served->answers;
    if (dot == NULL || dot == name)
        return NULL;
    for (const tls_name *served = context->served; served != NULL; served = served->next)
        if (strncmp(served->text, "*.", 2) == 0 && is_equal(served->text + 1, dot, length - (size_t)(dot - name)))
            return served->answers;
    return NULL;
}

/* The one host name in the extension, without a dot at its end, which RFC 6066 3 does not have and some clients send; false where it is anything
 * else, of which OpenSSL complains by itself later. */
static bool read_name(const unsigned char *octets, size_t length, const char **name, size_t *name_length)
{
    if (length < 5 || ((size_t)octets[0] << 8 | octets[1]) != length - 2 || octets[2] != TLSEXT_NAMETYPE_host_name)
        return false;
    *name_length = (size_t)octets[3] << 8 | octets[4];
    *name = (const char *)octets + 5;
    if (*name_length != length - 5 || *name_length == 0 || *name_length > TLSEXT_MAXLEN_host_name)
        return false;
    if (*name_length > 1 && (*name)[*name_length - 1] == '.')
        (*name_length)--;
    return true;
}

/* Sessions are of one certificate and one name (RFC 6066 3), of which both make the id that they are bound to. */
static bool bind_sessions(SSL *ssl, const tls_context *context, const char *name, size_t length)
{
    unsigned char text[SSL_MAX_SID_CTX_LENGTH + TLSEXT_MAXLEN_host_name], id[EVP_MAX_MD_SIZE];
    size_t at = context->session_id_length;
    unsigned id_length;
    memcpy(text, context->session_id, at);
    for (size_t i = 0; i < length; i++)
        text[at++] = (unsigned char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + ('a' - 'A') : name[i]);
    return EVP_Digest(text, at, id, &id_length, EVP_sha256(), NULL) == 1 && SSL_set_session_id_context(ssl, id, id_length) == 1;
}

static bool take_answer(SSL *ssl, const tls_connection *connection, const char *name, size_t length)
{
    const tls_context *answers = connection->answers;
    if (answers != connection->first) {
        if (SSL_set_SSL_CTX(ssl, answers->ssl) == NULL)
            return false;
        SSL_set_verify(ssl, SSL_CTX_get_verify_mode(answers->ssl), NULL);
    }
    return bind_sessions(ssl, answers, name, length);
}

int tls_on_hello(SSL *ssl, int *alert, void *unused)
{
    (void)unused;
    tls_connection *connection = SSL_get_app_data(ssl);
    const unsigned char *extension;
    const char *name = NULL;
    size_t length, name_length;
    /* the second hello, behind a HelloRetryRequest, changes nothing */
    if (connection->answers != NULL)
        return SSL_CLIENT_HELLO_SUCCESS;
    tls_context *answers = NULL;
    if (SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_server_name, &extension, &length) != 1 ||
        !read_name(extension, length, &name, &name_length))
        name_length = 0;
    if (name_length > 0)
        answers = find(connection->first, name, name_length);
    connection->answers = answers == NULL ? connection->first : answers;
    if (!take_answer(ssl, connection, name, name_length)) {
        *alert = SSL_AD_INTERNAL_ERROR;
        return SSL_CLIENT_HELLO_ERROR;
    }
    return SSL_CLIENT_HELLO_SUCCESS;
}

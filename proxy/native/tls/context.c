/* What the connections of a listener or of a cluster have in common. */
#include "library.h"

#include <openssl/err.h>
#include <string.h>

/* RFC 9325: no renegotiation, no compression; the server's order of ciphers counts. */
static const uint64_t OPTIONS = SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_NO_TICKET;

/* Buffers are released between records; a chain is what was configured, not what the trusted certificates could add to it. */
static const long MODES = SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                          SSL_MODE_AUTO_RETRY | SSL_MODE_NO_AUTO_CHAIN;

static int choose_protocol(SSL *ssl, const unsigned char **chosen, unsigned char *length, const unsigned char *offered,
                           unsigned offered_length, void *argument)
{
    (void)ssl;
    const tls_context *context = argument;
    unsigned char *found = NULL;
    if (SSL_select_next_proto(&found, length, context->protocols, context->protocols_length, offered, offered_length) !=
        OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *chosen = found;
    return SSL_TLSEXT_ERR_OK;
}

static bool prepare(tls_context *context)
{
    SSL_CTX *ssl = context->ssl;
    (void)SSL_CTX_set_options(ssl, OPTIONS);
    (void)SSL_CTX_set_mode(ssl, MODES);
    (void)SSL_CTX_set_max_cert_list(ssl, TLS_CHAIN_OCTETS);
    SSL_CTX_set_verify_depth(ssl, TLS_CHAIN_DEPTH);
    SSL_CTX_set_cert_verify_callback(ssl, tls_verify, context);
    SSL_CTX_set_info_callback(ssl, tls_on_event);
    (void)SSL_CTX_set_session_cache_mode(ssl, SSL_SESS_CACHE_OFF);
    if (context->is_server)
        SSL_CTX_set_client_hello_cb(ssl, tls_on_hello, NULL);
    /* what is trusted need not have signed itself */
    return X509_STORE_set_flags(SSL_CTX_get_cert_store(ssl), X509_V_FLAG_PARTIAL_CHAIN) == 1 &&
           SSL_CTX_set_num_tickets(ssl, 0) == 1 && tls_library_prepare(context);
}

tls_context *tls_context_new(bool is_server, tls_error *error)
{
    ERR_clear_error();
    tls_context *context = OPENSSL_zalloc(sizeof *context);
    if (context == NULL || pthread_mutex_init(&context->lock, NULL) != 0) {
        OPENSSL_free(context);
        (void)tls_fail(error, "no memory for a context");
        return NULL;
    }
    atomic_init(&context->references, 1);
    context->is_server = is_server;
    context->ssl = SSL_CTX_new(is_server ? TLS_server_method() : TLS_client_method());
    if (context->ssl == NULL || !prepare(context)) {
        (void)tls_fail(error, "no context");
        tls_context_release(context);
        return NULL;
    }
    return context;
}

tls_context *tls_context_hold(tls_context *context)
{
    (void)atomic_fetch_add_explicit(&context->references, 1, memory_order_relaxed);
    return context;
}

void tls_context_release(tls_context *context)
{
    if (atomic_fetch_sub_explicit(&context->references, 1, memory_order_acq_rel) != 1)
        return;
    for (tls_name *name = context->served; name != NULL; name = name->next)
        if (name->answers != context)
            tls_context_release(name->answers);
    tls_names_free(context->served);
    tls_names_free(context->hosts);
    tls_names_free(context->uris);
    tls_sessions_free(context);
    tls_lists_free(context);
    SSL_CTX_free(context->ssl);
    OPENSSL_free(context->protocols);
    (void)pthread_mutex_destroy(&context->lock);
    OPENSSL_free(context);
}

bool tls_context_versions(tls_context *context, int least, int most, tls_error *error)
{
    ERR_clear_error();
    return (least >= TLS1_2_VERSION && least <= most && most <= UINT16_MAX &&
            SSL_CTX_set_min_proto_version(context->ssl, (uint16_t)least) == 1 &&
            SSL_CTX_set_max_proto_version(context->ssl, (uint16_t)most) == 1) ||
           tls_fail(error, "no such version");
}

/* Adds a name to the list of those before it, with a colon between. */
static bool append(char *list, size_t room, const char *name)
{
    if (*list != '\0' && OPENSSL_strlcat(list, ":", room) >= room)
        return false;
    return OPENSSL_strlcat(list, name, room) < room;
}

/* OpenSSL keeps the suites of 1.3, by their standard names, apart from those before, which have names of its own. */
bool tls_context_ciphers(tls_context *context, const char *names, tls_error *error)
{
    char older[2048] = "", newer[512] = "", name[64];
    ERR_clear_error();
    while (*names != '\0') {
        size_t length = strcspn(names, ":");
        if (length >= sizeof name)
            return tls_fail(error, "no such cipher");
        memcpy(name, names, length);
        name[length] = '\0';
        names += length + (names[length] == ':');
        const char *own = tls_library_cipher(name);
        bool is_newer = strstr(name, "_WITH_") == NULL;
        if (own == NULL || !append(is_newer ? newer : older, is_newer ? sizeof newer : sizeof older, own))
            return tls_fail(error, "no such cipher");
    }
    if (!tls_library_ciphers(context, newer, older))
        return tls_fail(error, "no cipher");
    STACK_OF(SSL_CIPHER) *taken = SSL_CTX_get_ciphers(context->ssl);
    return sk_SSL_CIPHER_num(taken) > 0 || tls_fail(error, "no cipher");
}

bool tls_context_groups(tls_context *context, const char *names, tls_error *error)
{
    ERR_clear_error();
    return tls_library_groups(context, names) || tls_fail(error, "no such group");
}

bool tls_context_protocols(tls_context *context, const unsigned char *names, size_t length, tls_error *error)
{
    ERR_clear_error();
    if (length == 0 || length > UINT16_MAX)
        return tls_fail(error, "not a list of protocols");
    if (!context->is_server)
        /* which returns 0 for success */
        return SSL_CTX_set_alpn_protos(context->ssl, names, (unsigned)length) == 0 || tls_fail(error, "not a list of protocols");
    OPENSSL_free(context->protocols);
    context->protocols = OPENSSL_memdup(names, length);
    if (context->protocols == NULL)
        return tls_fail(error, "no memory");
    context->protocols_length = (unsigned)length;
    SSL_CTX_set_alpn_select_cb(context->ssl, choose_protocol, context);
    return true;
}

void tls_context_ask(tls_context *context, bool is_required)
{
    SSL_CTX_set_verify(context->ssl, SSL_VERIFY_PEER | (is_required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0), NULL);
}

/* A leading dot would have OpenSSL take each name below. */
bool tls_name_add(tls_name **names, const char *text)
{
    size_t length = strlen(text);
    if (length == 0 || *text == '.')
        return false;
    tls_name *name = OPENSSL_zalloc(sizeof *name + length + 1);
    if (name == NULL)
        return false;
    memcpy(name->text, text, length);
    while (*names != NULL)
        names = &(*names)->next;
    *names = name;
    return true;
}

void tls_names_free(tls_name *names)
{
    while (names != NULL) {
        tls_name *next = names->next;
        OPENSSL_free(names);
        names = next;
    }
}

/* The peer's identity: its certificate's chain, revoked parts of it, and its names, in the one callback that decides about all of them, so that a peer
 * with a wrong name receives an alert inside the handshake. */
#include "library.h"

#include <openssl/x509v3.h>
#include <string.h>
#include <strings.h>

/* Tells whether a DNS name of a certificate stands for a host: the same, letter case aside, or a wildcard that is the whole first label, above two labels or
 * more, and stands for one (RFC 6125 6.4.3). X509_check_host has the same rule but for wildcards, which stand for no label with an underscore there. */
static bool stands_for(const char *name, size_t length, const char *host)
{
    if (length < 2 || name[0] != '*' || name[1] != '.')
        return length == strlen(host) && strncasecmp(name, host, length) == 0;
    const char *behind = strchr(host, '.');
    bool is_deep = memchr(name + 2, '.', length - 2) != NULL && memchr(name + 2, '*', length - 2) == NULL;
    return is_deep && behind != NULL && behind != host && length - 1 == strlen(behind) && strncasecmp(name + 1, behind, length - 1) == 0;
}

/* Common names are never looked at (RFC 9110 4.3.4). */
static bool has_host(const tls_context *context, const GENERAL_NAMES *names)
{
    for (tls_place i = 0; i < sk_GENERAL_NAME_num(names); i++) {
        const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);
        if (name->type != GEN_DNS)
            continue;
        const char *text = (const char *)ASN1_STRING_get0_data(name->d.dNSName);
        size_t length = (size_t)ASN1_STRING_length(name->d.dNSName);
        for (const tls_name *host = context->hosts; host != NULL; host = host->next)
            if (stands_for(text, length, host->text))
                return true;
    }
    return false;
}

static bool is_one_of(const tls_name *expected, const ASN1_IA5STRING *uri)
{
    const unsigned char *octets = ASN1_STRING_get0_data(uri);
    int length = ASN1_STRING_length(uri);
    for (; expected != NULL; expected = expected->next)
        if (length >= 0 && strlen(expected->text) == (size_t)length && memcmp(expected->text, octets, (size_t)length) == 0)
            return true;
    return false;
}

/* Whether the only URI among the names is one of those expected, octet by octet (X.509-SVID). */
static bool has_uri(const tls_context *context, const GENERAL_NAMES *names)
{
    int uris = 0;
    bool is_expected = false;
    for (tls_place i = 0; i < sk_GENERAL_NAME_num(names); i++) {
        const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);
        if (name->type == GEN_URI) {
            uris++;
            is_expected = is_one_of(context->uris, name->d.uniformResourceIdentifier);
        }
    }
    return uris == 1 && is_expected;
}

static bool has_name(const tls_context *context, X509 *certificate)
{
    if (context->hosts == NULL && context->uris == NULL)
        return true;
    if (certificate == NULL)
        return false;
    /* NULL as well where the extension stands there twice, or does not parse */
    GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    bool is_there = has_host(context, names) || has_uri(context, names);
    GENERAL_NAMES_free(names);
    return is_there;
}

/* Why the peer's chain does not pass, or X509_V_OK. */
static int judge_chain(const tls_context *context, X509_STORE_CTX *store)
{
    int why = X509_V_OK;
    if (X509_verify_cert(store) != 1) {
        why = X509_STORE_CTX_get_error(store);
        why = why == X509_V_OK ? X509_V_ERR_UNSPECIFIED : why;
    }
    why = tls_library_judge(store, why);
    return why == X509_V_OK ? tls_lists_judge(context, X509_STORE_CTX_get0_chain(store)) : why;
}

/* Why the peer does not pass, or X509_V_OK. */
static int judge(const tls_context *context, X509_STORE_CTX *store)
{
    tls_chain shown;
    bool is_known = tls_chain_of(context, store, &shown);
    if (!is_known || !tls_chain_has_passed(&shown)) {
        int why = judge_chain(context, store);
        if (why != X509_V_OK)
            return why;
        if (is_known)
            tls_chain_passes(context, X509_STORE_CTX_get0_chain(store), &shown);
    }
    X509 *certificate = X509_STORE_CTX_get0_cert(store);
    return certificate != NULL && has_name(context, certificate) ? X509_V_OK : X509_V_ERR_HOSTNAME_MISMATCH;
}

int tls_verify(X509_STORE_CTX *store, void *argument)
{
    const tls_context *context = argument;
    if (SSL_CTX_get_verify_mode(context->ssl) == SSL_VERIFY_NONE)
        return 1;
    SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    tls_connection *connection = SSL_get_app_data(ssl);
    int why = judge(context, store);
    connection->unverified = why;
    X509_STORE_CTX_set_error(store, tls_library_alert_of(why));
    /* OpenSSL would take an error that is left for the end of a handshake that waits for more */
    if (why == X509_V_OK)
        tls_forget_errors();
    return why == X509_V_OK;
}

static bool seconds_between(const ASN1_TIME *from, const ASN1_TIME *to, int64_t *seconds)
{
    int days, rest;
    if (ASN1_TIME_diff(&days, &rest, from, to) != 1)
        return false;
    *seconds = (int64_t)days * 24 * 60 * 60 + rest;
    return true;
}

bool tls_seconds_of(const ASN1_TIME *at, int64_t *seconds)
{
    ASN1_TIME *epoch = ASN1_TIME_set(NULL, 0);
    bool is_read = epoch != NULL && seconds_between(epoch, at, seconds);
    ASN1_TIME_free(epoch);
    return is_read;
}

bool tls_dates_of(X509 *certificate, tls_dates *dates)
{
    return tls_seconds_of(X509_get0_notBefore(certificate), &dates->begins) && tls_seconds_of(X509_get0_notAfter(certificate), &dates->ends);
}

bool tls_is_valid_by_dates(const tls_context *context, const tls_dates *dates, X509 *certificate)
{
    int mode = SSL_CTX_get_verify_mode(context->ssl);
    int64_t now = (int64_t)time(NULL);
    if (mode == SSL_VERIFY_NONE)
        return true;
    /* a client may do without where none is required; the session is bound to the context that said so */
    if (dates == NULL)
        return context->is_server && (mode & SSL_VERIFY_FAIL_IF_NO_PEER_CERT) == 0;
    return dates->begins <= now && dates->ends > now && tls_lists_are_current(context) && has_name(context, certificate);
}

bool tls_is_still_valid(const tls_context *context, X509 *certificate)
{
    tls_dates dates;
    if (certificate == NULL)
        return tls_is_valid_by_dates(context, NULL, NULL);
    return tls_dates_of(certificate, &dates) && tls_is_valid_by_dates(context, &dates, certificate);
}

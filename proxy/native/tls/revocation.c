/* Which certificates are revoked, by the lists that the operator has given. Each certificate of a verified path is looked up in the lists of its
 * issuer; who is trusted itself is not looked up, nor is what somebody without a list has issued. OpenSSL's own check wants a list of everybody, or
 * looks at the first certificate only. JdkRevocation is the same for the JDK's engine. */
#include "tls.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <string.h>

bool tls_context_list(tls_context *context, const unsigned char *der, size_t length, tls_error *error)
{
    if (context->is_shared)
        return tls_fail(error, "trust and lists come before names");
    const unsigned char *at = der;
    ERR_clear_error();
    X509_CRL *list = length > INT32_MAX ? NULL : d2i_X509_CRL(NULL, &at, (long)length);
    if (list == NULL || at != der + length) {
        X509_CRL_free(list);
        return tls_fail(error, "not a revocation list");
    }
    if (context->lists == NULL)
        context->lists = sk_X509_CRL_new_null();
    if (context->lists == NULL || !tls_digest_add(context->listed, der, length) || sk_X509_CRL_push(context->lists, list) <= 0) {
        X509_CRL_free(list);
        return tls_fail(error, "no memory");
    }
    return true;
}

bool tls_lists_share(const tls_context *from, tls_context *to)
{
    if (from->lists == NULL || to->lists != NULL)
        return true;
    to->lists = sk_X509_CRL_new_null();
    memcpy(to->listed, from->listed, TLS_DIGEST);
    for (tls_place i = 0; to->lists != NULL && i < sk_X509_CRL_num(from->lists); i++) {
        X509_CRL *list = sk_X509_CRL_value(from->lists, i);
        if (X509_CRL_up_ref(list) != 1)
            return false;
        if (sk_X509_CRL_push(to->lists, list) <= 0) {
            X509_CRL_free(list);
            return false;
        }
    }
    return to->lists != NULL;
}

void tls_lists_free(tls_context *context)
{
    sk_X509_CRL_pop_free(context->lists, X509_CRL_free);
    context->lists = NULL;
}

static int judge_time(const X509_CRL *list)
{
    const ASN1_TIME *next = X509_CRL_get0_nextUpdate(list);
    if (X509_cmp_current_time(X509_CRL_get0_lastUpdate(list)) >= 0)
        return X509_V_ERR_CRL_NOT_YET_VALID;
    return next != NULL && X509_cmp_current_time(next) > 0 ? X509_V_OK : X509_V_ERR_CRL_HAS_EXPIRED;
}

bool tls_lists_are_current(const tls_context *context)
{
    for (tls_place i = 0; i < sk_X509_CRL_num(context->lists); i++)
        if (judge_time(sk_X509_CRL_value(context->lists, i)) != X509_V_OK)
            return false;
    return true;
}

static bool lower_to(const ASN1_TIME *when, int64_t since, int64_t *until)
{
    int64_t at;
    if (!tls_seconds_of(when, &at))
        return false;
    if (at > since && at < *until)
        *until = at;
    return true;
}

bool tls_lists_change(const tls_context *context, int64_t since, int64_t *until)
{
    for (tls_place i = 0; i < sk_X509_CRL_num(context->lists); i++) {
        const X509_CRL *list = sk_X509_CRL_value(context->lists, i);
        const ASN1_TIME *next = X509_CRL_get0_nextUpdate(list);
        if (!lower_to(X509_CRL_get0_lastUpdate(list), since, until) || (next != NULL && !lower_to(next, since, until)))
            return false;
    }
    return true;
}

/* Whether the list says anything of what the issuer has issued. */
static int judge_list(X509_CRL *list, X509 *issuer)
{
    EVP_PKEY *key = X509_get0_pubkey(issuer);
    if (key == NULL || X509_CRL_verify(list, key) != 1) {
        ERR_clear_error();
        return X509_V_ERR_CRL_SIGNATURE_FAILURE;
    }
    /* all bits are set where the certificate has no key usage */
    if ((X509_get_key_usage(issuer) & KU_CRL_SIGN) == 0)
        return X509_V_ERR_KEYUSAGE_NO_CRL_SIGN;
    return judge_time(list);
}

static int look_up(const tls_context *context, X509 *certificate, X509 *issuer)
{
    int problem = X509_V_OK;
    bool is_known = false;
    for (tls_place i = 0; i < sk_X509_CRL_num(context->lists); i++) {
        X509_CRL *list = sk_X509_CRL_value(context->lists, i);
        X509_REVOKED *entry;
        if (X509_NAME_cmp(X509_CRL_get_issuer(list), X509_get_issuer_name(certificate)) != 0)
            continue;
        int why = judge_list(list, issuer);
        if (why == X509_V_OK) {
            is_known = true;
            if (X509_CRL_get0_by_cert(list, &entry, certificate) != 0)
                return X509_V_ERR_CERT_REVOKED;
        } else if (problem == X509_V_OK) {
            problem = why;
        }
    }
    return is_known ? X509_V_OK : problem;
}

int tls_lists_judge(const tls_context *context, const STACK_OF(X509) *path)
{
    for (tls_place i = 0; i + 1 < sk_X509_num(path); i++) {
        int why = look_up(context, sk_X509_value(path, i), sk_X509_value(path, i + 1));
        if (why != X509_V_OK)
            return why;
    }
    return X509_V_OK;
}

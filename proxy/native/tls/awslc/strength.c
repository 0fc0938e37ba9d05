/* What OpenSSL's security level 2 means for certificates, whose keys and signatures are of 112 bits at least. AWS-LC has the function that sets
 * a level, which does nothing. */
#include "../library.h"

#include <openssl/evp.h>
#include <openssl/x509.h>

enum {
    LEAST_BITS = 112,
    /* by OpenSSL's formula for what a modulus is worth */
    LEAST_RSA = 1963,
    LEAST_CURVE = 224
};

static bool is_strong_key(X509 *certificate)
{
    const EVP_PKEY *key = X509_get0_pubkey(certificate);
    switch (key == NULL ? EVP_PKEY_NONE : EVP_PKEY_id(key)) {
    case EVP_PKEY_RSA:
    case EVP_PKEY_RSA_PSS:
        return EVP_PKEY_bits(key) >= LEAST_RSA;
    case EVP_PKEY_EC:
        return EVP_PKEY_bits(key) >= LEAST_CURVE;
    case EVP_PKEY_ED25519:
        return true;
    default:
        return false;
    }
}

static bool is_strong_signature(X509 *certificate)
{
    int digest, key, bits;
    if (X509_get_signature_info(certificate, &digest, &key, &bits, NULL) != 1)
        return false;
    /* whose digest the algorithm or its parameters say, of which AWS-LC verifies none below SHA-256 */
    return digest == NID_undef || bits >= LEAST_BITS;
}

const char *tls_library_weakness(X509 *certificate, bool is_own)
{
    if (!is_strong_key(certificate))
        return is_own ? "ee key too small" : "ca key too small";
    bool is_own_issuer = (X509_get_extension_flags(certificate) & EXFLAG_SS) != 0;
    return is_own_issuer || is_strong_signature(certificate) ? NULL : "ca md too weak";
}

int tls_library_judge(X509_STORE_CTX *store, int why)
{
    /* OpenSSL looks at dates after this, and at everything else before */
    if (why != X509_V_OK && why != X509_V_ERR_CERT_HAS_EXPIRED && why != X509_V_ERR_CERT_NOT_YET_VALID)
        return why;
    const STACK_OF(X509) *path = X509_STORE_CTX_get0_chain(store);
    for (size_t i = 0; i < sk_X509_num(path); i++) {
        X509 *certificate = sk_X509_value(path, i);
        if (!is_strong_key(certificate))
            return i == 0 ? X509_V_ERR_EE_KEY_TOO_SMALL : X509_V_ERR_CA_KEY_TOO_SMALL;
        if (i + 1 < sk_X509_num(path) && !is_strong_signature(certificate))
            return X509_V_ERR_CA_MD_TOO_WEAK;
    }
    return why;
}

int tls_library_alert_of(int why)
{
    switch (why) {
    case X509_V_ERR_CERT_NOT_YET_VALID:
    case X509_V_ERR_CRL_NOT_YET_VALID:
    case X509_V_ERR_EE_KEY_TOO_SMALL:
    case X509_V_ERR_CA_KEY_TOO_SMALL:
    case X509_V_ERR_CA_MD_TOO_WEAK:
        /* bad_certificate */
        return X509_V_ERR_CERT_REJECTED;
    default:
        return why;
    }
}

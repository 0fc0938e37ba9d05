/* OpenSSL's security level 2 for certificates, whose keys and signatures are of 112 bits at least. AWS-LC has the function that sets a level, which
 * does nothing. */
#include "../library.h"

#include <openssl/evp.h>
#include <openssl/obj.h>
#include <openssl/x509.h>

enum {
    LEAST_BITS = 112,
    /* SHA-224's, of which half the bits count */
    LEAST_HASH_OCTETS = 28,
    /* by OpenSSL's formula for what a modulus is worth */
    LEAST_RSA = 1963,
    LEAST_CURVE = 224
};

enum key_strength { STRONG, SMALL, UNSUPPORTED };

static enum key_strength strength_of_key(X509 *certificate)
{
    const EVP_PKEY *key = X509_get0_pubkey(certificate);
    switch (key == NULL ? EVP_PKEY_NONE : EVP_PKEY_id(key)) {
    case EVP_PKEY_RSA:
    case EVP_PKEY_RSA_PSS:
        return EVP_PKEY_bits(key) >= LEAST_RSA ? STRONG : SMALL;
    case EVP_PKEY_EC:
        return EVP_PKEY_bits(key) >= LEAST_CURVE ? STRONG : SMALL;
    case EVP_PKEY_ED25519:
        return STRONG;
    default:
        return UNSUPPORTED;
    }
}

/* Tells whether an RSASSA-PSS signature has a strong hash, which its parameters name. Absent ones mean SHA-1 (RFC 4055 3.1). */
static bool has_strong_hash(const X509_ALGOR *algorithm)
{
    int type;
    const void *value;
    X509_ALGOR_get0(NULL, &type, &value, algorithm);
    if (type != V_ASN1_SEQUENCE)
        return false;
    const unsigned char *at = ASN1_STRING_get0_data(value), *end = at + ASN1_STRING_length(value);
    RSA_PSS_PARAMS *parameters = d2i_RSA_PSS_PARAMS(NULL, &at, ASN1_STRING_length(value));
    const EVP_MD *hash = NULL;
    if (parameters != NULL && at == end && parameters->hashAlgorithm != NULL) {
        const ASN1_OBJECT *name;
        X509_ALGOR_get0(&name, NULL, NULL, parameters->hashAlgorithm);
        hash = EVP_get_digestbyobj(name);
    }
    RSA_PSS_PARAMS_free(parameters);
    return hash != NULL && EVP_MD_size(hash) >= LEAST_HASH_OCTETS;
}

static bool is_strong_signature(X509 *certificate)
{
    int digest, bits;
    const X509_ALGOR *algorithm;
    const ASN1_OBJECT *name;
    if (X509_get_signature_info(certificate, &digest, NULL, &bits, NULL) != 1)
        return false;
    if (digest != NID_undef)
        return bits >= LEAST_BITS;
    /* AWS-LC does not say the hash of a signature whose algorithm or parameters say it */
    X509_get0_signature(NULL, &algorithm, certificate);
    X509_ALGOR_get0(&name, NULL, NULL, algorithm);
    switch (OBJ_obj2nid(name)) {
    case NID_ED25519:
        return true;
    case NID_rsassaPss:
        return has_strong_hash(algorithm);
    default:
        return false;
    }
}

const char *tls_library_weakness(X509 *certificate, bool is_own)
{
    enum key_strength strength = strength_of_key(certificate);
    if (strength == UNSUPPORTED)
        return "unsupported key";
    if (strength == SMALL)
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
        /* OpenSSL says the same of a key that it does not support */
        if (strength_of_key(certificate) != STRONG)
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

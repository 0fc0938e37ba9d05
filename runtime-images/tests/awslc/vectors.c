/* Answers of AWS-LC to questions of one line each, of which vectors.py knows the right answers: "ok" and a result, or "no". */
#include "hex.h"

#include <openssl/aead.h>
#include <openssl/bn.h>
#include <openssl/curve25519.h>
#include <openssl/ec.h>
#include <openssl/ec_key.h>
#include <openssl/ecdh.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hkdf.h>
#include <openssl/hmac.h>
#include <openssl/nid.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

static const char *word(void)
{
    return strtok(NULL, " \n");
}

static const EVP_MD *digest_of(const char *name)
{
    return strcmp(name, "-") == 0 ? NULL : EVP_get_digestbyname(name);
}

static int answer(const unsigned char *octets, size_t length)
{
    printf("ok ");
    print_hex(octets, length);
    return 1;
}

static EVP_PKEY *public_key(text der)
{
    const unsigned char *at = der.octets;
    return d2i_PUBKEY(NULL, &at, (long)der.length);
}

/* A signature: key, digest, message, signature, and for PSS the digest of its mask and the length of its salt. */
static int verify(void)
{
    EVP_PKEY *key = public_key(text_of(word()));
    const EVP_MD *digest = digest_of(word());
    text message = text_of(word()), signature = text_of(word());
    const char *mask = word(), *salt = word();
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_PKEY_CTX *options = NULL;
    int is_good = key != NULL && EVP_DigestVerifyInit(context, &options, digest, NULL, key) == 1;
    if (is_good && mask != NULL)
        is_good = EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1 && EVP_PKEY_CTX_set_rsa_mgf1_md(options, digest_of(mask)) == 1 &&
                  EVP_PKEY_CTX_set_rsa_pss_saltlen(options, atoi(salt)) == 1;
    is_good = is_good && EVP_DigestVerify(context, signature.octets, signature.length, message.octets, message.length) == 1;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    return is_good && answer(NULL, 0);
}

static int agree(const EC_GROUP *group, const EC_POINT *point, text number)
{
    unsigned char shared[80];
    EC_KEY *key = EC_KEY_new();
    BIGNUM *own = BN_bin2bn(number.octets, number.length, NULL);
    int length = 0;
    if (EC_KEY_set_group(key, group) == 1 && EC_KEY_set_private_key(key, own) == 1)
        length = ECDH_compute_key(shared, sizeof shared, point, key, NULL);
    BN_free(own);
    EC_KEY_free(key);
    return length > 0 && answer(shared, (size_t)length);
}

/* ECDH: curve, point, number */
static int ecdh_of_point(void)
{
    EC_GROUP *group = EC_GROUP_new_by_curve_name(OBJ_txt2nid(word()));
    EC_POINT *point = EC_POINT_new(group);
    text octets = text_of(word()), number = text_of(word());
    int is_good = EC_POINT_oct2point(group, point, octets.octets, octets.length, NULL) == 1 && agree(group, point, number);
    EC_POINT_free(point);
    return is_good;
}

/* The same with a whole public key, which must be of the curve. */
static int ecdh_of_key(void)
{
    int curve = OBJ_txt2nid(word());
    EVP_PKEY *key = public_key(text_of(word()));
    text number = text_of(word());
    const EC_KEY *other = key == NULL ? NULL : EVP_PKEY_get0_EC_KEY(key);
    int is_good = other != NULL && EC_GROUP_get_curve_name(EC_KEY_get0_group(other)) == curve &&
                  agree(EC_KEY_get0_group(other), EC_KEY_get0_public_key(other), number);
    EVP_PKEY_free(key);
    return is_good;
}

static int x25519(void)
{
    unsigned char shared[X25519_SHARED_KEY_LEN];
    text point = text_of(word()), number = text_of(word());
    /* zero is refused as a result, which Wycheproof leaves open */
    if (X25519(shared, number.octets, point.octets) != 1)
        return 0;
    return answer(shared, sizeof shared);
}

static const EVP_AEAD *aead_of(const char *name)
{
    if (strcmp(name, "chacha20-poly1305") == 0)
        return EVP_aead_chacha20_poly1305();
    return strcmp(name, "aes-128-gcm") == 0 ? EVP_aead_aes_128_gcm() : strcmp(name, "aes-256-gcm") == 0 ? EVP_aead_aes_256_gcm() : EVP_aead_aes_192_gcm();
}

/* name, key, nonce, additional data, what is sealed: the content */
static int open_sealed(void)
{
    const EVP_AEAD *aead = aead_of(word());
    text key = text_of(word()), nonce = text_of(word()), more = text_of(word()), sealed = text_of(word());
    unsigned char *content = malloc(sealed.length + 1), *again = malloc(sealed.length + 64);
    size_t length = 0, sealed_length = 0;
    EVP_AEAD_CTX context;
    if (EVP_AEAD_CTX_init(&context, aead, key.octets, key.length, EVP_AEAD_DEFAULT_TAG_LENGTH, NULL) != 1)
        return 0;
    int is_good = EVP_AEAD_CTX_open(&context, content, &length, sealed.length, nonce.octets, nonce.length, sealed.octets, sealed.length, more.octets, more.length) == 1;
    if (is_good) {
        is_good = EVP_AEAD_CTX_seal(&context, again, &sealed_length, sealed.length + 64, nonce.octets, nonce.length, content, length, more.octets, more.length) == 1 &&
                  sealed_length == sealed.length && memcmp(again, sealed.octets, sealed_length) == 0 && answer(content, length);
    }
    EVP_AEAD_CTX_cleanup(&context);
    free(content);
    free(again);
    return is_good;
}

/* digest, secret, salt, info, length */
static int hkdf(void)
{
    const EVP_MD *digest = digest_of(word());
    text secret = text_of(word()), salt = text_of(word()), info = text_of(word());
    size_t length = (size_t)atol(word());
    unsigned char *made = malloc(length + 1);
    int is_good = HKDF(made, length, digest, secret.octets, secret.length, salt.octets, salt.length, info.octets, info.length) == 1 && answer(made, length);
    free(made);
    return is_good;
}

/* digest, key, message */
static int hmac(void)
{
    unsigned char code[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    const EVP_MD *digest = digest_of(word());
    text key = text_of(word()), message = text_of(word());
    return HMAC(digest, key.octets, key.length, message.octets, message.length, code, &length) != NULL && answer(code, length);
}

typedef int answerer(void);

static answerer *answerer_of(const char *kind)
{
    static const struct {
        const char *name;
        answerer *answers;
    } all[] = {{"verify", verify}, {"ecdh-point", ecdh_of_point}, {"ecdh-key", ecdh_of_key}, {"x25519", x25519}, {"aead", open_sealed}, {"hkdf", hkdf}, {"hmac", hmac}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(kind, all[i].name) == 0)
            return all[i].answers;
    give_up("no such question");
    return NULL;
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        if (!answerer_of(strtok(line, " \n"))())
            printf("no");
        putchar('\n');
        ERR_clear_error();
    }
    return 0;
}

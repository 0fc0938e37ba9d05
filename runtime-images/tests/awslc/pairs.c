/* Keys, shared secrets and signatures of P-256. "make COUNT" prints some, "check" reads them and computes or verifies each. It is built with two libraries
 * that have nothing in common: what the one makes, the other checks. */
#include "hex.h"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/ecdh.h>
#include <openssl/ecdsa.h>
#include <openssl/obj_mac.h>
#include <openssl/rand.h>

enum { NUMBER = 32, POINT = 65, SIGNATURE = 80 };

static void need(int done, const char *what)
{
    if (done != 1)
        give_up(what);
}

static EC_KEY *key_of(const unsigned char *octets, size_t length, unsigned char *point)
{
    EC_KEY *key = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1);
    BIGNUM *number = BN_bin2bn(octets, (int)length, NULL);
    const EC_GROUP *group = EC_KEY_get0_group(key);
    EC_POINT *own = EC_POINT_new(group);
    need(EC_POINT_mul(group, own, number, NULL, NULL, NULL), "no public key");
    need(EC_KEY_set_private_key(key, number), "no private key");
    need(EC_KEY_set_public_key(key, own), "no public key");
    need(EC_POINT_point2oct(group, own, POINT_CONVERSION_UNCOMPRESSED, point, POINT, NULL) == POINT, "no point");
    EC_POINT_free(own);
    BN_free(number);
    return key;
}

static void shared_of(EC_KEY *key, const unsigned char *point, unsigned char *shared)
{
    const EC_GROUP *group = EC_KEY_get0_group(key);
    EC_POINT *other = EC_POINT_new(group);
    need(EC_POINT_oct2point(group, other, point, POINT, NULL), "not a point of the curve");
    need(ECDH_compute_key(shared, NUMBER, other, key, NULL) == NUMBER, "no shared secret");
    EC_POINT_free(other);
}

static void random_number(unsigned char *octets)
{
    need(RAND_bytes(octets, NUMBER), "no random numbers");
    /* below the order, and not 0 */
    octets[0] &= 0x7f;
    octets[NUMBER - 1] |= 1;
}

static void print_field(const unsigned char *octets, size_t length)
{
    print_hex(octets, length);
    putchar(' ');
}

static void make(long count)
{
    unsigned char number[NUMBER], point[POINT], other_number[NUMBER], other[POINT], shared[NUMBER], digest[NUMBER], signature[SIGNATURE];
    for (long i = 0; i < count; i++) {
        unsigned length = sizeof signature;
        random_number(number);
        random_number(other_number);
        random_number(digest);
        EC_KEY *key = key_of(number, NUMBER, point), *other_key = key_of(other_number, NUMBER, other);
        shared_of(key, other, shared);
        need(ECDSA_sign(0, digest, NUMBER, signature, &length, key), "no signature");
        print_field(number, NUMBER);
        print_field(point, POINT);
        print_field(other, POINT);
        print_field(shared, NUMBER);
        print_field(digest, NUMBER);
        print_hex(signature, length);
        putchar('\n');
        EC_KEY_free(key);
        EC_KEY_free(other_key);
    }
}

static void same(const unsigned char *found, size_t length, text expected, const char *what)
{
    if (expected.length != length || memcmp(found, expected.octets, length) != 0)
        give_up(what);
}

static long check(void)
{
    char line[2048];
    long count = 0;
    for (; fgets(line, sizeof line, stdin) != NULL; count++) {
        unsigned char point[POINT], shared[NUMBER];
        text number = text_of(strtok(line, " \n")), own = text_of(strtok(NULL, " \n")), other = text_of(strtok(NULL, " \n")),
             secret = text_of(strtok(NULL, " \n")), digest = text_of(strtok(NULL, " \n")), signature = text_of(strtok(NULL, " \n"));
        need(number.length == NUMBER && other.length == POINT && digest.length == NUMBER && signature.length > 0, "a field of another length");
        EC_KEY *key = key_of(number.octets, NUMBER, point);
        same(point, POINT, own, "another public key");
        shared_of(key, other.octets, shared);
        same(shared, NUMBER, secret, "another shared secret");
        need(ECDSA_verify(0, digest.octets, NUMBER, signature.octets, (int)signature.length, key), "a signature that does not verify");
        /* of another content it is none */
        digest.octets[count % NUMBER] ^= 1;
        need(ECDSA_verify(0, digest.octets, NUMBER, signature.octets, (int)signature.length, key) != 1, "a signature of something else verifies");
        EC_KEY_free(key);
        text all[] = {number, own, other, secret, digest, signature};
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
            free(all[i].octets);
    }
    return count;
}

int main(int count, char **words)
{
    if (count == 3 && strcmp(words[1], "make") == 0)
        make(atol(words[2]));
    else if (count == 2 && strcmp(words[1], "check") == 0)
        printf("%ld\n", check());
    else
        give_up("usage: pairs make COUNT | pairs check");
    return 0;
}

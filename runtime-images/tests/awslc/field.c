/* The field arithmetic of P-256 that images for 32 bits take from OpenSSL. Each line has an operation (mul, sqr, add, sub) and two numbers of eight
 * words, the least significant first; the answer is the result. It is computed into a place of its own and over each operand.
 * Built with SECRET and run by valgrind, operands are secrets, which count as not initialized: a jump or an address that depends on one is an error. */
#include "hex.h"

#include <stdint.h>

#ifdef SECRET
#include <valgrind/memcheck.h>
#define HIDE(octets, length) VALGRIND_MAKE_MEM_UNDEFINED(octets, length)
#define SHOW(octets, length) VALGRIND_MAKE_MEM_DEFINED(octets, length)
/* the C library, linked statically, has errors of its own */
#define ERRORS VALGRIND_COUNT_ERRORS
#else
#define HIDE(octets, length) (void)(octets)
#define SHOW(octets, length) (void)(octets)
#define ERRORS 0
#endif

enum { WORDS = 8 };

void ecp_nistz256_mul_mont(uint32_t r[WORDS], const uint32_t a[WORDS], const uint32_t b[WORDS]);
void ecp_nistz256_sqr_mont(uint32_t r[WORDS], const uint32_t a[WORDS]);
void ecp_nistz256_add(uint32_t r[WORDS], const uint32_t a[WORDS], const uint32_t b[WORDS]);
void ecp_nistz256_sub(uint32_t r[WORDS], const uint32_t a[WORDS], const uint32_t b[WORDS]);

/* What AWS-LC knows of the processor: the bits for FXSR and SSE2, or nothing, for which there is a way without SSE2. */
uint32_t OPENSSL_ia32cap_P[4];

static void square(uint32_t r[WORDS], const uint32_t a[WORDS], const uint32_t b[WORDS])
{
    (void)b;
    ecp_nistz256_sqr_mont(r, a);
}

typedef void operation(uint32_t r[WORDS], const uint32_t a[WORDS], const uint32_t b[WORDS]);

/* What a jump that depends on a secret looks like, so that the test of constant time is known to see one. */
static void leak(uint32_t r[WORDS], const uint32_t a[WORDS], const uint32_t b[WORDS])
{
    memset(r, 0, WORDS * sizeof r[0]);
    if (a[0] > b[0])
        give_up("larger");
}

static operation *operation_of(const char *name)
{
    if (strcmp(name, "mul") == 0)
        return ecp_nistz256_mul_mont;
    if (strcmp(name, "sqr") == 0)
        return square;
    if (strcmp(name, "add") == 0)
        return ecp_nistz256_add;
    if (strcmp(name, "sub") == 0)
        return ecp_nistz256_sub;
    if (strcmp(name, "leak") == 0)
        return leak;
    give_up("no such operation");
    return NULL;
}

static void check_over_operands(operation *compute, const uint32_t *a, const uint32_t *b, const uint32_t *expected)
{
    uint32_t over[WORDS];
    memcpy(over, a, sizeof over);
    compute(over, over, b);
    if (memcmp(over, expected, sizeof over) != 0)
        give_up("another result over the first operand");
    memcpy(over, b, sizeof over);
    compute(over, a, over);
    if (memcmp(over, expected, sizeof over) != 0)
        give_up("another result over the second operand");
}

int main(int count, char **words)
{
    char line[512];
    OPENSSL_ia32cap_P[0] = count > 1 && strcmp(words[1], "sse2") == 0 ? 1u << 24 | 1u << 26 : 0;
    while (fgets(line, sizeof line, stdin) != NULL) {
        operation *compute = operation_of(strtok(line, " \n"));
        text a = text_of(strtok(NULL, " \n")), b = text_of(strtok(NULL, " \n"));
        uint32_t x[WORDS], y[WORDS], r[WORDS];
        if (a.length != sizeof x || b.length != sizeof y)
            give_up("not a number of eight words");
        memcpy(x, a.octets, sizeof x);
        memcpy(y, b.octets, sizeof y);
        HIDE(x, sizeof x);
        HIDE(y, sizeof y);
        unsigned errors = ERRORS;
        compute(r, x, y);
        if (ERRORS != errors)
            give_up("a jump or an address depends on an operand");
        SHOW(x, sizeof x);
        SHOW(y, sizeof y);
        SHOW(r, sizeof r);
        check_over_operands(compute, x, y, r);
        print_hex((const unsigned char *)r, sizeof r);
        putchar('\n');
        free(a.octets);
        free(b.octets);
    }
    return 0;
}

/* Chains that have passed. Whether a chain passes follows from the chain, from what the context trusts and lists, from the side, and from the time:
 * all of them are in the key of an entry or in its two times. Names, and whether the peer has the key of its certificate, are judged each time.
 *
 * Failures are not remembered. A peer may have many chains that pass, as any certificate can be added to one that is needed, so an entry that the
 * table has no room for replaces another, and costs at most one more verification, of that other chain. */
#include "tls.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <string.h>

enum {
    MOST = 1024,
    /* so many are looked at for the one whose last use is furthest away, which is replaced */
    LOOKED_AT = 8,
    /* octets of the key: of its bucket, and of the first place that is looked at */
    BUCKET_AT = 0,
    LOOK_AT = 2
};

/* Passes from the first time on and until the second, in seconds since 1970. A clock that is set back has it judged again. */
typedef struct {
    unsigned char key[TLS_DIGEST];
    uint32_t since, until;
    /* when it was used last, in uses */
    uint32_t used;
    /* of the same bucket; a place and 1, or 0 for none */
    uint16_t next;
} chain;

/* 50 KiB, of which the kernel gives two pages with the first chain, and another for each 85 of them. */
static struct {
    pthread_mutex_t lock;
    chain chains[MOST];
    uint16_t buckets[MOST];
    unsigned count;
    uint32_t uses;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static unsigned number_at(const tls_chain *asked, size_t at) { return ((unsigned)asked->key[at] << 8 | asked->key[at + 1]) % MOST; }

bool tls_digest_add(unsigned char *digest, const unsigned char *octets, size_t length)
{
    EVP_MD_CTX *hash = EVP_MD_CTX_new();
    bool is_added = hash != NULL && EVP_DigestInit_ex(hash, EVP_sha256(), NULL) == 1 && EVP_DigestUpdate(hash, digest, TLS_DIGEST) == 1 &&
                    EVP_DigestUpdate(hash, octets, length) == 1 && EVP_DigestFinal_ex(hash, digest, NULL) == 1;
    EVP_MD_CTX_free(hash);
    return is_added;
}

static bool add_certificate(EVP_MD_CTX *hash, X509 *certificate)
{
    unsigned char *der = NULL;
    int length = i2d_X509(certificate, &der);
    uint32_t octets = (uint32_t)length;
    bool is_added = length > 0 && EVP_DigestUpdate(hash, &octets, sizeof octets) == 1 && EVP_DigestUpdate(hash, der, octets) == 1;
    OPENSSL_free(der);
    return is_added;
}

bool tls_chain_of(const tls_context *context, X509_STORE_CTX *store, tls_chain *asked)
{
    const STACK_OF(X509) *shown = X509_STORE_CTX_get0_untrusted(store);
    unsigned char side = context->is_server;
    asked->since = (int64_t)time(NULL);
    /* the peer's own is the first of them with both libraries */
    if (sk_X509_num(shown) <= 0 || sk_X509_value(shown, 0) != X509_STORE_CTX_get0_cert(store))
        return false;
    EVP_MD_CTX *hash = EVP_MD_CTX_new();
    bool is_made = hash != NULL && EVP_DigestInit_ex(hash, EVP_sha256(), NULL) == 1 && EVP_DigestUpdate(hash, &side, 1) == 1 &&
                   EVP_DigestUpdate(hash, context->trusted, TLS_DIGEST) == 1 && EVP_DigestUpdate(hash, context->listed, TLS_DIGEST) == 1;
    for (tls_place i = 0; is_made && i < sk_X509_num(shown); i++)
        is_made = add_certificate(hash, sk_X509_value(shown, i));
    is_made = is_made && EVP_DigestFinal_ex(hash, asked->key, NULL) == 1;
    EVP_MD_CTX_free(hash);
    if (!is_made)
        ERR_clear_error();
    return is_made;
}

/* Under the lock. */
static chain *find(const tls_chain *asked)
{
    for (unsigned at = table.buckets[number_at(asked, BUCKET_AT)]; at > 0; at = table.chains[at - 1].next)
        if (memcmp(table.chains[at - 1].key, asked->key, TLS_DIGEST) == 0)
            return &table.chains[at - 1];
    return NULL;
}

bool tls_chain_has_passed(const tls_chain *asked)
{
    (void)pthread_mutex_lock(&table.lock);
    chain *found = find(asked);
    bool has_passed = found != NULL && asked->since >= found->since && asked->since < found->until;
    if (has_passed)
        found->used = ++table.uses;
    (void)pthread_mutex_unlock(&table.lock);
    return has_passed;
}

/* Under the lock: takes the entry out of its bucket. */
static void forget(unsigned place)
{
    tls_chain old;
    memcpy(old.key, table.chains[place].key, TLS_DIGEST);
    uint16_t *link = &table.buckets[number_at(&old, BUCKET_AT)];
    while (*link != place + 1)
        link = &table.chains[*link - 1].next;
    *link = table.chains[place].next;
}

/* Under the lock: the place of the chain to replace. After a change of trust it is mostly one that nobody asks for any more. */
static unsigned oldest(unsigned first)
{
    unsigned found = first;
    for (unsigned i = 1; i < LOOKED_AT; i++) {
        unsigned place = (first + i) % MOST;
        if (table.uses - table.chains[place].used > table.uses - table.chains[found].used)
            found = place;
    }
    return found;
}

/* Under the lock: an entry for a chain that has none. */
static chain *make(const tls_chain *asked)
{
    unsigned place = table.count;
    if (table.count < MOST)
        table.count++;
    else
        forget(place = oldest(number_at(asked, LOOK_AT)));
    uint16_t *bucket = &table.buckets[number_at(asked, BUCKET_AT)];
    chain *made = &table.chains[place];
    memcpy(made->key, asked->key, TLS_DIGEST);
    made->next = *bucket;
    *bucket = (uint16_t)(place + 1);
    return made;
}

static void lower(int64_t *until, int64_t to)
{
    if (to < *until)
        *until = to;
}

/* Says until when all of the path is valid, and no list begins or ends to count; false where a time cannot be read. */
static bool until_when(const tls_context *context, const STACK_OF(X509) *path, int64_t since, int64_t *until)
{
    *until = UINT32_MAX;
    for (tls_place i = 0; i < sk_X509_num(path); i++) {
        tls_dates dates;
        if (!tls_dates_of(sk_X509_value(path, i), &dates))
            return false;
        lower(until, dates.ends);
    }
    return tls_lists_change(context, since, until);
}

void tls_chain_passes(const tls_context *context, const STACK_OF(X509) *path, const tls_chain *asked)
{
    /* what was asked before and is remembered after the verification holds for the whole of it */
    int64_t since = (int64_t)time(NULL), until;
    if (sk_X509_num(path) == 0 || since < asked->since || !until_when(context, path, asked->since, &until) || until <= since || since < 0)
        return;
    (void)pthread_mutex_lock(&table.lock);
    chain *entry = find(asked);
    if (entry == NULL)
        entry = make(asked);
    entry->since = (uint32_t)since;
    entry->until = (uint32_t)until;
    entry->used = ++table.uses;
    (void)pthread_mutex_unlock(&table.lock);
}

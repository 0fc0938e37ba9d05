/* AWS-LC's allocator, which counts. The library calls these functions where a program has them, and leaves it to them that nothing secret stays
 * in memory that was given back. */
#include "../library.h"

#include <malloc.h>
#include <openssl/crypto.h>
#include <openssl/mem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *OPENSSL_memory_alloc(size_t length)
{
    void *taken = malloc(length == 0 ? 1 : length);
    if (taken != NULL)
        tls_count(malloc_usable_size(taken), 0);
    return taken;
}

void OPENSSL_memory_free(void *old)
{
    size_t length = malloc_usable_size(old);
    OPENSSL_cleanse(old, length);
    tls_count(0, length);
    free(old);
}

size_t OPENSSL_memory_get_size(void *taken) { return malloc_usable_size(taken); }

void *OPENSSL_memory_realloc(void *old, size_t length)
{
    size_t before = malloc_usable_size(old);
    /* a little more fits where it is */
    if (length <= before && length > before / 2)
        return old;
    void *taken = OPENSSL_memory_alloc(length);
    if (taken == NULL)
        return NULL;
    memcpy(taken, old, length < before ? length : before);
    OPENSSL_memory_free(old);
    return taken;
}

bool tls_library_start(bool *is_counted, tls_error *error)
{
    *is_counted = true;
    return OPENSSL_init_ssl(0, NULL) == 1 || tls_fail(error, "AWS-LC does not start");
}

void tls_library_name(char *name, size_t room) { (void)snprintf(name, room, "%s", "AWS-LC " AWSLC_VERSION_NUMBER_STRING); }

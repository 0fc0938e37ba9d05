/* Switches OpenSSL on: with an allocator that counts, without its configuration file, and with the provider that is built into it. */
#include "tls.h"

#include <malloc.h>
#include <stdlib.h>

static atomic_size_t allocated;
static bool is_counted;

static void *take(size_t length, const char *file, int line)
{
    (void)file;
    (void)line;
    void *taken = length == 0 ? NULL : malloc(length);
    if (taken != NULL)
        atomic_fetch_add_explicit(&allocated, malloc_usable_size(taken), memory_order_relaxed);
    return taken;
}

static void give(void *old, const char *file, int line)
{
    (void)file;
    (void)line;
    if (old != NULL)
        atomic_fetch_sub_explicit(&allocated, malloc_usable_size(old), memory_order_relaxed);
    free(old);
}

static void *retake(void *old, size_t length, const char *file, int line)
{
    if (length == 0) {
        give(old, file, line);
        return NULL;
    }
    size_t before = old == NULL ? 0 : malloc_usable_size(old);
    void *taken = realloc(old, length);
    if (taken != NULL)
        atomic_fetch_add_explicit(&allocated, malloc_usable_size(taken) - before, memory_order_relaxed);
    return taken;
}

int64_t tls_allocated(void)
{
    return is_counted ? (int64_t)atomic_load_explicit(&allocated, memory_order_relaxed) : -1;
}

bool tls_start(tls_error *error)
{
    /* Threads of the VM may be in here when the process ends, so nothing is torn down then. */
    uint64_t options = OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT;
    is_counted = CRYPTO_set_mem_functions(take, retake, give) == 1;
    if (OPENSSL_init_crypto(options, NULL) != 1 || OPENSSL_init_ssl(options, NULL) != 1)
        return tls_fail(error, "OpenSSL does not start");
    if (!tls_provider_start())
        return tls_fail(error, "OpenSSL has no default provider");
    return tls_buffers_start() || tls_fail(error, "OpenSSL takes no buffers");
}

/* Switches OpenSSL on: with an allocator that counts, without its configuration file, and with the provider that is built into it. */
#include "../library.h"
#include "provider.h"

#include <malloc.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>

static void *take(size_t length, const char *file, int line)
{
    (void)file;
    (void)line;
    void *taken = length == 0 ? NULL : malloc(length);
    if (taken != NULL)
        tls_count(malloc_usable_size(taken), 0);
    return taken;
}

static void give(void *old, const char *file, int line)
{
    (void)file;
    (void)line;
    if (old != NULL)
        tls_count(0, malloc_usable_size(old));
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
        tls_count(malloc_usable_size(taken), before);
    return taken;
}

bool tls_library_start(bool *is_counted, tls_error *error)
{
    /* Threads of the VM may be in here when the process ends, so nothing is torn down then. */
    uint64_t options = OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT;
    *is_counted = CRYPTO_set_mem_functions(take, retake, give) == 1;
    if (OPENSSL_init_crypto(options, NULL) != 1 || OPENSSL_init_ssl(options, NULL) != 1)
        return tls_fail(error, "OpenSSL does not start");
    return tls_provider_start() || tls_fail(error, "OpenSSL has no default provider");
}

void tls_library_name(char *name, size_t room)
{
    (void)snprintf(name, room, "OpenSSL %s", OpenSSL_version(OPENSSL_VERSION_STRING));
}

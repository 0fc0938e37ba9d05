/* Switches the library on, and counts what its allocator takes. */
#include "library.h"

static atomic_size_t allocated;
static bool is_counted;

void tls_count(size_t taken, size_t given)
{
    atomic_fetch_add_explicit(&allocated, taken - given, memory_order_relaxed);
}

int64_t tls_allocated(void)
{
    return is_counted ? (int64_t)atomic_load_explicit(&allocated, memory_order_relaxed) : -1;
}

bool tls_start(tls_error *error)
{
    return tls_library_start(&is_counted, error) && (tls_buffers_start() || tls_fail(error, "the library takes no buffers"));
}

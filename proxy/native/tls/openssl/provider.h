#ifndef REMORA_TLS_PROVIDER_H
#define REMORA_TLS_PROVIDER_H

#include <stdbool.h>

/* Has connections use the part of the default provider that they need. */
bool tls_provider_start(void);

#endif

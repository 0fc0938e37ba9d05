/** The configuration of TLS: the records of both sides, their keys, and the readers that fill them. Loaded only where TLS is configured. */
@NullMarked
package io.remora.tls.config;

import org.jspecify.annotations.NullMarked;

/**
 * TLS on connections of both sides: a handler on the channel has a {@link io.remora.tls.TlsSession} decrypt and
 * encrypt. A {@link io.remora.tls.TlsProvider} does the cryptography.
 *
 * <p>Nothing of this package is loaded where no listener and no cluster has TLS.
 */
@NullMarked
package io.remora.tls;

import org.jspecify.annotations.NullMarked;

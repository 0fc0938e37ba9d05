/**
 * TLS by OpenSSL or AWS-LC, through a binding of our own ({@code proxy/native/tls}) that the runtime images may have.
 *
 * <p>Nothing of this package is loaded where no listener and no cluster has TLS, and the libraries neither.
 */
@NullMarked
package io.remora.tls.openssl;

import org.jspecify.annotations.NullMarked;

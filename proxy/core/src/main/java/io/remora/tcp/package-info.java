/**
 * TCP connections, which are a tunnel from their first octet, both sides. A client's connection is one exchange,
 * which picks an endpoint as any other does, and has a head that says no more than the name in a TLS hello, where routes ask.
 *
 * <p>Nothing of it is loaded unless a listener or a cluster has {@code protocol: tcp}.
 */
@NullMarked
package io.remora.tcp;

import org.jspecify.annotations.NullMarked;

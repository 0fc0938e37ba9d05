/**
 * A client for DNS, on blocking sockets of the JDK: asks the servers of this machine for addresses and services.
 *
 * <p>Not for an event loop. Nothing here caches: who asks goes by the time to live of what it is told.
 *
 * <p>Spec: RFC 1035, RFC 2181, RFC 2782, RFC 3596, RFC 5452, RFC 7766.
 */
@NullMarked
package io.remora.dns;

import org.jspecify.annotations.NullMarked;

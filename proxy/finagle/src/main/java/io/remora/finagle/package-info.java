/**
 * The second engine: Finagle's client stack names, balances, pools, ejects and repeats; Remora's own codec stays below it, so
 * that every rule towards endpoints holds by the same code.
 *
 * <pre>
 * exchange -> FinagleStream -> Service[Request, Response] ... -> HttpClientDispatcher -> CodecTransport -> HttpCodec -> socket
 *             one attempt      Finagle's stack                                           messages          octets
 * </pre>
 *
 * <p>Each event loop has a client of its own for each cluster, whose connections and timers are on that loop: nothing here takes
 * a lock of its own or hops to another thread, except that endpoints are told from anywhere.
 */
@NullMarked
package io.remora.finagle;

import org.jspecify.annotations.NullMarked;

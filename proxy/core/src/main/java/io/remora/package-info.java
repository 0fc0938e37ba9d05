/**
 * Remora, a sidecar proxy. {@link io.remora.Main} reads the configuration, {@link io.remora.Proxy} puts the stages
 * together in the order of a request:
 *
 * <pre>
 *   client                                                                                     application
 *     |                                                                                             ^
 *   transport.Listener   accept                                                                     |
 *   http1.RequestDecoder decode     http1.Http1Frontend --- exchange.Exchange --- http1.Http1Backend
 *                                     one connection          admit, normalize       one connection
 *                                     of a client             route.Router           of pool.EndpointPool
 *                                                             balance.RoundRobin
 *                                                             pool lease, dispatch, relay, release
 * </pre>
 *
 * <p>Everything of an exchange lives on one event loop. The admin package has a thread of its own.
 */
@NullMarked
package io.remora;

import org.jspecify.annotations.NullMarked;

/**
 * Remora, a sidecar proxy. {@link io.remora.Main} reads the configuration, {@link io.remora.Proxy} is a sidecar's life,
 * {@link io.remora.serving.DataPath} is what its exchanges pass through, {@link io.remora.serving.Seams} chooses the implementation behind each
 * seam, and {@link io.remora.serving.Stages} lists what each request passes:
 *
 * <pre>
 *   client                                                                                    application
 *     |                                                                                            ^
 *   transport   accept, handshake                                         handshake, connect   transport
 *   http1       one connection's streams                               one connection's streams    http1
 *     |                                                                                            |
 *     +--- exchange: stages --- attempt --- engine: naming, balance, pool --- stream --------------+
 * </pre>
 *
 * <p>Everything of an exchange lives on one event loop. The admin package has a thread of its own.
 */
@NullMarked
package io.remora;

import org.jspecify.annotations.NullMarked;

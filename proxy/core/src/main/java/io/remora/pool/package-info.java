/**
 * Connections to endpoints, and the streams that they carry. A stream is handed out ready; waiting for capacity, for
 * the handshake and for the protocol's choice is done in here.
 *
 * <p>Everything here lives on one event loop: no lock, no volatile.
 */
@NullMarked
package io.remora.pool;

import org.jspecify.annotations.NullMarked;

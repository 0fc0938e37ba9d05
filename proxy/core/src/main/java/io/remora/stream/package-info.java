/**
 * A stream: one request with its response at an endpoint, over any protocol and engine.
 *
 * <p>Everything here lives on one event loop: no lock, no volatile.
 */
@NullMarked
package io.remora.stream;

import org.jspecify.annotations.NullMarked;

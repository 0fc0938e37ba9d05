/**
 * One request with its response on its way to an endpoint, whatever protocol and engine carry it.
 *
 * <p>Everything here lives on one event loop: no lock, no volatile.
 */
@NullMarked
package io.remora.stream;

import org.jspecify.annotations.NullMarked;

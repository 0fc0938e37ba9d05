/**
 * One request with its response, between a frontend and a backend whose wire it does not know.
 *
 * <p>Everything here lives on one event loop: no lock, no volatile.
 */
@NullMarked
package io.remora.exchange;

import org.jspecify.annotations.NullMarked;

/**
 * One request with its response, between a frontend and the attempts at a backend, none of whose wires it knows.
 *
 * <p>Everything here lives on one event loop: no lock, no volatile.
 */
@NullMarked
package io.remora.exchange;

import org.jspecify.annotations.NullMarked;

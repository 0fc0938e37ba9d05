/**
 * One request with its response, between a frontend and the attempts at a backend, none of whose wires it knows.
 *
 * <p>An {@link io.remora.exchange.Exchange} passes the stages and ends once. What its two sides tell each other goes through
 * a relay for each direction; what it holds of the loop's memory is its {@link io.remora.exchange.Grant}.
 *
 * <p>Everything here lives on one event loop: no lock, no volatile.
 */
@NullMarked
package io.remora.exchange;

import org.jspecify.annotations.NullMarked;

/**
 * An exchange: one request with its response, between a frontend and its attempts. It knows neither side's wire.
 *
 * <p>A frontend drives a {@link io.remora.exchange.FrontendExchange}, stages act on a {@link io.remora.exchange.StagedRequest}, and any
 * filter on a {@link io.remora.exchange.RequestView}. Behind all three is one exchange, which passes the stages and ends once. Its two
 * sides talk through a relay for each direction; its share of the loop's memory is its {@link io.remora.exchange.Grant}.
 *
 * <p>Everything here lives on one event loop: no lock, no volatile.
 */
@NullMarked
package io.remora.exchange;

import org.jspecify.annotations.NullMarked;

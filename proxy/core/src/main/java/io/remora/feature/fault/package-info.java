/** Fault injection into the requests of a route: delays, and responses instead of an endpoint's. */
@NullMarked
package io.remora.feature.fault;

import org.jspecify.annotations.NullMarked;

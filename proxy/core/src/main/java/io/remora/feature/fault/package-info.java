/** Faults that are injected into the requests of a route, to see what becomes of them: delays, and responses in an endpoint's place. */
@NullMarked
package io.remora.feature.fault;

import org.jspecify.annotations.NullMarked;

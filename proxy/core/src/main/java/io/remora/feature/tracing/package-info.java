/**
 * Tracing: the trace of a request, its propagation, the spans of an exchange and their export. Loaded only where {@code tracing} is
 * configured.
 *
 * <p>Everything here lives on one event loop but for what {@link io.remora.feature.tracing.Tracers} says otherwise: no lock, no volatile.
 */
@NullMarked
package io.remora.feature.tracing;

import org.jspecify.annotations.NullMarked;

/**
 * Traces: which one a request is part of, how backends are told, the spans of an exchange and where they go. Loaded only for who has
 * {@code tracing}.
 *
 * <p>Everything here lives on one event loop but for what {@link io.remora.trace.Tracers} says otherwise: no lock, no volatile.
 */
@NullMarked
package io.remora.trace;

import org.jspecify.annotations.NullMarked;

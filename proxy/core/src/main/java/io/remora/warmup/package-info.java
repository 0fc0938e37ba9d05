/** Requests that the sidecar sends to itself before it is ready. Loaded only where the configuration asks for a warm-up. */
@NullMarked
package io.remora.warmup;

import org.jspecify.annotations.NullMarked;

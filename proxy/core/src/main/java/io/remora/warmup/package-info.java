/** Requests of the sidecar's own before it is ready. Loaded only where the configuration asks for a warm-up. */
@NullMarked
package io.remora.warmup;

import org.jspecify.annotations.NullMarked;

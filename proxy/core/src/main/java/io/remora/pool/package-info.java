/** Connections to backends, per event loop and endpoint: leased to one exchange at a time, kept for the next. */
@NullMarked
package io.remora.pool;

import org.jspecify.annotations.NullMarked;

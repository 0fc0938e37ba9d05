package io.remora.finagle;

import io.remora.http.Fields;
import org.jspecify.annotations.Nullable;

/**
 * A body's end, on its way to or from the codec.
 *
 * @param trailers null for none
 */
record MessageEnd(@Nullable Fields trailers) {
    static final MessageEnd WITHOUT_TRAILERS = new MessageEnd(null);
}

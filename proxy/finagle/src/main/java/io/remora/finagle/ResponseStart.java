package io.remora.finagle;

import io.remora.http.ResponseHead;
import org.jspecify.annotations.Nullable;

/**
 * A final response's head on its way from the codec, with its body where that came with it.
 *
 * @param readyNs when its first bytes were readable
 * @param isWhole whether no body follows
 * @param content the whole body; null for none, and where it follows
 */
record ResponseStart(
        ResponseHead head,
        long readyNs,
        boolean isWhole,
        @Nullable Piece content) {}

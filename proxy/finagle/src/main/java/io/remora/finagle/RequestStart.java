package io.remora.finagle;

import io.remora.http.Fields;
import io.remora.http.Octets;
import org.jspecify.annotations.Nullable;

/**
 * A request's head on its way to the codec, with its body where that is at hand.
 *
 * @param length of the body, or {@code BodyLength.UNKNOWN} for a chunked one
 * @param content the whole body, null where it follows or there is none
 * @param upgrades whether the endpoint may switch protocols
 * @param waiting stream that gets interim responses; null for none, so that they end the connection
 */
record RequestStart(
        String method,
        Octets target,
        Fields fields,
        long length,
        @Nullable Piece content,
        boolean upgrades,
        @Nullable FinagleStream waiting) {
    boolean isHead() {
        return method.equals("HEAD");
    }
}

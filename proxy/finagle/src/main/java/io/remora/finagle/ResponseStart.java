package io.remora.finagle;

import io.remora.http.ResponseHead;
import org.jspecify.annotations.Nullable;

/**
 * A final response's head on its way from the codec, with its body where that came with it.
 *
 * @param readyNs when its first bytes were readable
 * @param content the whole body; null where it follows
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares them
record ResponseStart(ResponseHead head, long readyNs, byte @Nullable [] content) {}

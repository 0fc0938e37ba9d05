package io.remora.http2;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one SETTINGS frame: of each the last value, so that a frame costs no more than one that has it once,
 * and the smallest of the table's sizes.
 *
 * <p>Owner: the frame. Spec: RFC 9113 section 6.5.2, RFC 8441 section 3.
 */
final class PeerSettings {
    static final long ABSENT = -1;

    private long leastTable = Long.MAX_VALUE;
    private final long[] values = new long[Frames.ENABLE_CONNECT_PROTOCOL + 1];

    PeerSettings() {
        Arrays.fill(values, ABSENT);
    }

    /** Returns the value of a setting, {@link #ABSENT} where the frame has none. */
    long get(int id) {
        return values[id];
    }

    /** Returns the smallest of the table's sizes, all of which count (RFC 7541 4.2); only where the frame has one. */
    long leastTable() {
        return leastTable;
    }

    /**
     * Reads all of them.
     *
     * @param ofClient whether a client has sent them
     * @return what is wrong with one of them; null for nothing
     */
    @Nullable
    ErrorCode read(ByteBuf in, int from, int count, boolean ofClient) {
        int at = from;
        for (int i = 0; i < count; i++) {
            int id = in.getUnsignedShort(at);
            long value = in.getUnsignedInt(at + 2);
            at += 6;
            ErrorCode fault = judge(id, value, ofClient);
            if (fault != null) {
                return fault;
            }
            if (id < values.length) {
                values[id] = value;
            }
            if (id == Frames.HEADER_TABLE_SIZE) {
                leastTable = Math.min(leastTable, value);
            }
        }
        return null;
    }

    private static @Nullable ErrorCode judge(int id, long value, boolean ofClient) {
        return switch (id) {
            // an endpoint must not push, as it has been told
            case Frames.ENABLE_PUSH -> value > (ofClient ? 1 : 0) ? ErrorCode.PROTOCOL_ERROR : null;
            case Frames.ENABLE_CONNECT_PROTOCOL -> value > 1 ? ErrorCode.PROTOCOL_ERROR : null;
            case Frames.INITIAL_WINDOW_SIZE -> value > Integer.MAX_VALUE ? ErrorCode.FLOW_CONTROL_ERROR : null;
            case Frames.MAX_FRAME_SIZE ->
                value < Frames.LEAST_FRAME || value > Frames.MOST_FRAME ? ErrorCode.PROTOCOL_ERROR : null;
            default -> null;
        };
    }
}

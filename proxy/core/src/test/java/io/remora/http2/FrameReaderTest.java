package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A reader that is closed by what a frame brings about, or with a part of one. */
final class FrameReaderTest {
    private static final byte[] PING = FrameClient.frame(FrameClient.PING, 0, 0, new byte[8]);

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
    private final Log log = new Log();
    private final FrameReader reader = new FrameReader(allocator, false, Frames.LEAST_FRAME, log);

    private void read(byte[] octets) {
        reader.read(Unpooled.wrappedBuffer(octets));
    }

    private long held() {
        return allocator.metric().usedHeapMemory();
    }

    @Test
    void aFrameThatCameInPiecesMayCloseTheReader() {
        log.onPing = reader::close;
        read(FrameClient.frame(FrameClient.SETTINGS, 0, 0));
        read(Arrays.copyOf(PING, 10));
        assertThat(held()).isPositive();
        read(Arrays.copyOfRange(PING, 10, PING.length));
        assertThat(log.pings).isOne();
        assertThat(held()).isZero();
        reader.close();
    }

    @Test
    void aFaultInAFrameThatCameInPiecesReleasesIt() {
        log.onPing = () -> {
            throw new IllegalStateException("ping");
        };
        read(FrameClient.frame(FrameClient.SETTINGS, 0, 0));
        read(Arrays.copyOf(PING, 10));
        assertThat(catchThrowable(() -> read(Arrays.copyOfRange(PING, 10, PING.length))))
                .hasMessage("ping");
        assertThat(held()).isZero();
    }

    @Test
    void aPartOfAHeaderBlockIsDropped() {
        read(FrameClient.frame(FrameClient.SETTINGS, 0, 0));
        read(FrameClient.frame(FrameClient.HEADERS, 0, 1, new byte[1_000]));
        assertThat(held()).isPositive();
        reader.close();
        assertThat(held()).isZero();
    }

    private static final class Log implements FrameReader.Events {
        private @Nullable Runnable onPing;
        private int pings;

        @Override
        public boolean isOver() {
            return false;
        }

        @Override
        public boolean admits(int type, int flags, int stream, int length) {
            return true;
        }

        @Override
        public void ping(long data, boolean answer) {
            pings++;
            if (onPing != null) {
                onPing.run();
            }
        }

        // ---- what does not come

        @Override
        public void data(int stream, ByteBuf content, int padding, boolean ends) {}

        @Override
        public void headers(int stream, ByteBuf block, int from, int to, boolean ends, ErrorCode fault) {}

        @Override
        public void resetRead(int stream, long code) {}

        @Override
        public void settings(ByteBuf in, int from, int count) {}

        @Override
        public void settingsKnown() {}

        @Override
        public void goAwayRead(int last, long code) {}

        @Override
        public void windowUpdate(int stream, int more) {}

        @Override
        public void unknown(int type, int stream, ByteBuf in, int from, int length) {}

        @Override
        public void connectionFault(ErrorCode error) {
            throw new AssertionError(error.toString());
        }

        @Override
        public void streamFault(int stream, ErrorCode error) {
            throw new AssertionError(error.toString());
        }
    }
}

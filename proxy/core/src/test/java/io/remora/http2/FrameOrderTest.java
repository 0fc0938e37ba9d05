package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.AsciiString;
import io.remora.http2.hpack.HeaderBlock;
import io.remora.http2.hpack.HpackDecoder;
import io.remora.http2.hpack.HpackEncoder;
import io.remora.transport.SharedBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Octets on the wire where the channel calls back as it takes a piece, and further frames are written in that call, or
 * where there is no memory for a frame.
 */
final class FrameOrderTest {
    /** Any write passes it. */
    private static final WriteBufferWaterMark LOW = new WriteBufferWaterMark(1, 8);

    private static final WriteBufferWaterMark HIGH = new WriteBufferWaterMark(1 << 20, 1 << 21);

    private static final byte CONTENT = 'c';
    private static final int ONE = 3;
    private static final int TWO = 5;
    private static final int THREE = 7;

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final Memory memory = new Memory();
    private final Codec codec;
    /** Runs once, as the channel has become full. */
    private @Nullable Runnable whenFull;

    private record Frame(int type, int flags, int stream, int length) {}

    FrameOrderTest() {
        channel.config().setAllocator(memory);
        codec = new Codec(channel);
    }

    @BeforeEach
    void begin() {
        channel.config().setWriteBufferWaterMark(LOW);
        channel.pipeline().addLast(codec);
        for (int stream = ONE; stream <= THREE; stream += 2) {
            codec.begin(codec.streams.next());
        }
    }

    @AfterEach
    void end() {
        channel.finishAndReleaseAll();
    }

    @Test
    void whatIsWrittenInTheMiddleOfContentFollowsIt() {
        whenFull = () -> {
            codec.writeReset(TWO, ErrorCode.CANCEL.code());
            codec.flush();
        };
        codec.writer.data(ONE, content(5_000), true);
        codec.flush();
        assertThat(frames())
                .containsExactly(
                        new Frame(FrameClient.DATA, FrameClient.END_STREAM, ONE, 5_000),
                        new Frame(FrameClient.RST_STREAM, 0, TWO, 4));
    }

    @Test
    void contentThatIsWrittenInTheMiddleOfOtherContentFollowsIt() {
        whenFull = () -> codec.writer.data(TWO, content(5_000), true);
        codec.writer.data(ONE, content(6_000), true);
        codec.writer.flush();
        assertThat(frames())
                .containsExactly(
                        new Frame(FrameClient.DATA, FrameClient.END_STREAM, ONE, 6_000),
                        new Frame(FrameClient.DATA, FrameClient.END_STREAM, TWO, 5_000));
    }

    @Test
    void whatIsWrittenInTheMiddleOfAHeaderBlockFollowsIt() {
        whenFull = () -> {
            codec.ping(1);
            codec.flush();
            codec.writeSection(TWO, new Lines(20), true);
        };
        codec.writeSection(ONE, new Lines(100_000), true);
        codec.flush();
        List<Frame> frames = frames();
        assertThat(frames).hasSize(9);
        assertThat(frames.get(0))
                .isEqualTo(new Frame(FrameClient.HEADERS, FrameClient.END_STREAM, ONE, Frames.LEAST_FRAME));
        assertThat(frames.subList(1, 7)).allMatch(frame -> frame.type() == FrameClient.CONTINUATION);
        assertThat(frames.get(6).flags()).isEqualTo(FrameClient.END_HEADERS);
        assertThat(frames.get(7).type()).isEqualTo(FrameClient.PING);
        assertThat(frames.get(8).stream()).isEqualTo(TWO);
    }

    /** Nothing of it follows its reset, and nothing that was written meanwhile is lost. */
    @Test
    void aStreamMayEndAsRoomIsMadeForItsContent() {
        whenFull = () -> codec.writeReset(TWO, ErrorCode.CANCEL.code());
        for (int stream = ONE; stream <= THREE; stream += 2) {
            codec.output.add(stream, content(2_000), null);
            codec.output.end(stream);
        }
        for (int i = 0; i < 6; i++) {
            codec.flush();
        }
        List<Frame> frames = frames();
        Frame reset = new Frame(FrameClient.RST_STREAM, 0, TWO, 4);
        assertThat(frames).contains(reset);
        assertThat(frames.subList(frames.indexOf(reset) + 1, frames.size()))
                .isNotEmpty()
                .noneMatch(frame -> frame.stream() == TWO);
        assertThat(octets(frames, ONE)).isEqualTo(2_000);
        assertThat(octets(frames, THREE)).isEqualTo(2_000);
    }

    /** Its object is another stream's by then. */
    @Test
    void aStreamThatEndsInTheMiddleOfItsHeadEndsNoOther() {
        whenFull = () -> {
            codec.writeReset(ONE, ErrorCode.CANCEL.code());
            codec.begin(codec.streams.next());
        };
        codec.writeSection(ONE, new Lines(100_000), true);
        codec.flush();
        assertThat(codec.streams.get(ONE)).isNull();
        WireStream next = codec.streams.get(THREE + 2);
        assertThat(next == null ? null : next.state).isEqualTo(WireStream.State.OPEN);
        List<Frame> frames = frames();
        assertThat(frames.get(frames.size() - 1)).isEqualTo(new Frame(FrameClient.RST_STREAM, 0, ONE, 4));
    }

    // ---- windows

    /** Content that waits for its stream's own window takes nothing of the connection's from others. */
    @Test
    void onlyContentThatItsStreamMaySendTakesTheConnectionsRoom() {
        codec.output.firstWindow(0);
        codec.output.add(ONE, content(Frames.FIRST_WINDOW), null);
        assertThat(codec.output.hasRoom()).isTrue();
        WireStream one = codec.streams.get(ONE);
        assertThat(one).isNotNull();
        codec.output.widen(one, Frames.FIRST_WINDOW - 1);
        assertThat(codec.output.hasRoom()).isTrue();
        codec.output.widen(one, 1);
        assertThat(codec.output.hasRoom()).isFalse();
        codec.output.firstWindow(-1);
        assertThat(codec.output.hasRoom()).isTrue();
        codec.output.firstWindow(0);
        assertThat(codec.output.hasRoom()).isFalse();
        codec.forget(ONE);
        assertThat(codec.output.hasRoom()).isTrue();
    }

    // ---- faults of ours

    @ParameterizedTest
    @ValueSource(ints = {1_000, 5_000})
    void contentWaitsWhereThereIsNoMemoryForItsFrame(int octets) {
        channel.config().setWriteBufferWaterMark(HIGH);
        ByteBuf shared = SharedBuffer.WRITE.take(memory, 1, 1);
        try {
            codec.output.add(ONE, content(octets), null);
            codec.output.end(ONE);
            memory.isGone = true;
            assertThatThrownBy(codec::flush).isInstanceOf(OutOfMemoryError.class);
            memory.isGone = false;
            codec.flush();
        } finally {
            shared.release();
        }
        assertThat(frames()).containsExactly(new Frame(FrameClient.DATA, FrameClient.END_STREAM, ONE, octets));
        assertThat(codec.output.window()).isEqualTo(Frames.FIRST_WINDOW - octets);
    }

    @Test
    void smallContentThatFindsNoMemoryCountsForNothing() {
        channel.config().setWriteBufferWaterMark(HIGH);
        codec.output.add(ONE, content(100), null);
        ByteBuf second = content(100);
        memory.isGone = true;
        assertThatThrownBy(() -> codec.output.add(ONE, second, null)).isInstanceOf(OutOfMemoryError.class);
        memory.isGone = false;
        assertThat(second.refCnt()).isZero();
        codec.flush();
        assertThat(frames()).containsExactly(new Frame(FrameClient.DATA, 0, ONE, 100));
        assertThat(codec.streams.get(ONE)).isNotNull().matches(stream -> stream.waiting == 0);
    }

    @Test
    void aSectionThatIsNotWholeLeavesNothingOnTheWireAndBreaksTheConnection() {
        SentSection torn = new SentSection() {
            @Override
            public int mostOctets() {
                return 100;
            }

            @Override
            public void writeTo(HpackEncoder encoder, HeaderBlock out) {
                encoder.line(out, AsciiString.of("x"), AsciiString.of("y"), false);
                throw new IllegalStateException("torn");
            }
        };
        assertThatThrownBy(() -> codec.writeSection(ONE, torn, true)).hasMessage("torn");
        assertThat(codec.broken).hasMessage("torn");
        codec.ping(1);
        codec.flush();
        assertThat(frames()).containsExactly(new Frame(FrameClient.PING, 0, 0, 8));
    }

    @Test
    void aStreamThatThrowsAtTheEndOfTheChannelKeepsNoOtherFromItsEnd() {
        codec.throwsAt = ONE;
        channel.close();
        assertThat(codec.closed).containsExactlyInAnyOrder(ONE, TWO, THREE);
        assertThat(codec.streams.isEmpty()).isTrue();
        assertThat(codec.broken).hasMessage("stream 3");
    }

    @Test
    void aStreamThatThrowsAsItIsForgottenKeepsNoOtherFromItsEnd() {
        codec.throwsAt = ONE;
        assertThatThrownBy(() -> codec.forgetAbove(0)).hasMessage("stream 3");
        assertThat(codec.closed).containsExactlyInAnyOrder(ONE, TWO, THREE);
        assertThat(codec.streams.isEmpty()).isTrue();
    }

    @Test
    void aStreamWhoseContentCannotBeDroppedInOrderIsClosedAllTheSame() {
        codec.output.add(ONE, content(100), new WireStream.Progress() {
            @Override
            public void left(int octets) {}

            @Override
            public void dropped(int octets) {
                throw new IllegalStateException("dropped");
            }
        });
        assertThatThrownBy(() -> codec.forget(ONE)).hasMessage("dropped");
        assertThat(codec.closed).containsExactly(ONE);
        assertThat(codec.streams.get(ONE)).isNull();
    }

    /** Memory that may be gone. */
    private static final class Memory extends AbstractByteBufAllocator {
        private boolean isGone;

        Memory() {
            super(true);
        }

        @Override
        protected ByteBuf newHeapBuffer(int octets, int most) {
            return UnpooledByteBufAllocator.DEFAULT.heapBuffer(octets, most);
        }

        @Override
        protected ByteBuf newDirectBuffer(int octets, int most) {
            if (isGone) {
                throw new OutOfMemoryError("of this test");
            }
            return UnpooledByteBufAllocator.DEFAULT.directBuffer(octets, most);
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }

    // ---- the wire

    private static ByteBuf content(int octets) {
        byte[] all = new byte[octets];
        Arrays.fill(all, CONTENT);
        return Unpooled.wrappedBuffer(all);
    }

    private static int octets(List<Frame> frames, int stream) {
        return frames.stream()
                .filter(frame -> frame.type() == FrameClient.DATA && frame.stream() == stream)
                .mapToInt(Frame::length)
                .sum();
    }

    private List<Frame> frames() {
        ByteBuf wire = Unpooled.buffer();
        for (ByteBuf next = channel.readOutbound(); next != null; next = channel.readOutbound()) {
            wire.writeBytes(next);
            next.release();
        }
        List<Frame> frames = new ArrayList<>();
        while (wire.isReadable()) {
            int length = wire.readUnsignedMedium();
            Frame frame = new Frame(wire.readUnsignedByte(), wire.readUnsignedByte(), wire.readInt(), length);
            ByteBuf payload = wire.readSlice(length);
            if (frame.type() == FrameClient.DATA) {
                assertThat(payload.forEachByte(octet -> octet == CONTENT)).isEqualTo(-1);
            }
            frames.add(frame);
        }
        return frames;
    }

    /** A section of one line, whose octets no code makes fewer. */
    private record Lines(int octets) implements SentSection {
        @Override
        public int mostOctets() {
            return 1 + octets + PREFIXES;
        }

        @Override
        public void writeTo(HpackEncoder encoder, HeaderBlock out) {
            encoder.line(out, AsciiString.of("x"), AsciiString.of("~".repeat(octets)), false);
        }
    }

    private final class Codec extends ConnectionCodec {
        private final List<Integer> closed = new ArrayList<>();
        private @Nullable Throwable broken;
        /** The stream whose end throws, 0 for none. */
        private int throwsAt;

        Codec(EmbeddedChannel channel) {
            super(
                    channel,
                    new Own(false, false, Frames.FIRST_WINDOW, Frames.LEAST_FRAME, Frames.LEAST_FRAME),
                    new HpackEncoder(Frames.FIRST_TABLE),
                    PeerFrames.ofEndpoint(() -> 0, 1, 1));
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext at) {
            Runnable due = at.channel().isWritable() ? null : whenFull;
            if (due != null) {
                whenFull = null;
                due.run();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
            broken = cause;
        }

        // ---- nothing comes

        @Override
        public boolean isOver() {
            return false;
        }

        @Override
        public boolean admits(int type, int flags, int stream, int length) {
            return true;
        }

        @Override
        HpackDecoder.@Nullable Fault decompress(ByteBuf block, int from, int to) {
            return null;
        }

        @Override
        void dropSection() {}

        @Override
        boolean begins(int id) {
            return false;
        }

        @Override
        void section(int id, boolean first, boolean ends) {}

        @Override
        void sectionTooLarge(int id) {}

        @Override
        int content(int id, ByteBuf data, boolean ends) {
            return 0;
        }

        @Override
        void stray(int type, int id) {}

        @Override
        void resetByPeer(int id, long code) {}

        @Override
        void widened(int id) {}

        @Override
        void settingsRead(PeerSettings settings) {}

        @Override
        void acknowledged() {}

        @Override
        void pingAnswered(long data) {}

        @Override
        void closed(int id) {
            closed.add(id);
            if (id == throwsAt) {
                throw new IllegalStateException("stream " + id);
            }
        }

        @Override
        public void goAwayRead(int last, long code) {}

        @Override
        public void unknown(int type, int stream, ByteBuf in, int from, int length) {}

        @Override
        public void streamFault(int id, ErrorCode error) {}

        @Override
        public void connectionFault(ErrorCode error) {}
    }
}

package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import io.remora.transport.InboundHandler;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Small pieces of content that become one record, and content that cannot become one. */
final class OutgoingTest {
    private final EmbeddedChannel channel = new EmbeddedChannel(new InboundHandler() {});
    private final ChannelHandlerContext at = channel.pipeline().firstContext();
    private final PlainSession session = new PlainSession();
    private final Outgoing outgoing = new Outgoing(session);

    @AfterEach
    void close() {
        outgoing.release();
        channel.finishAndReleaseAll();
    }

    private static ByteBuf text(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
    }

    private void write(ByteBuf content) throws TlsException {
        outgoing.write(at, content, channel.voidPromise());
    }

    private String record() throws TlsException {
        outgoing.flush(at);
        channel.flush();
        ByteBuf wire = channel.readOutbound();
        try {
            return wire.toString(StandardCharsets.US_ASCII);
        } finally {
            wire.release();
        }
    }

    @Test
    void piecesBecomeOneRecordAndAreReleased() throws TlsException {
        ByteBuf[] pieces = {text("one "), text("two "), text("three")};
        for (ByteBuf piece : pieces) {
            write(piece);
        }
        assertThat(outgoing.heldOctets()).isEqualTo(13);
        assertThat(record()).isEqualTo("one two three");
        assertThat(pieces).allMatch(piece -> piece.refCnt() == 0);
    }

    /** Somebody else's buffer may be as large as the one in which pieces are joined, and have no room behind its content. */
    @Test
    void aPieceOfARecordsSizeIsNotTakenForTheOwnBuffer() throws TlsException {
        int octets = TlsSession.MAX_RECORD_CONTENT;
        ByteBuf full = UnpooledByteBufAllocator.DEFAULT.directBuffer(octets, octets);
        full.writeZero(octets - 4).writeBytes(text("tail")).readerIndex(octets - 4);
        write(full);
        write(text(" and more"));
        assertThat(record()).isEqualTo("tail and more");
        assertThat(full.refCnt()).isZero();
    }

    @Test
    void nothingIsWrittenIntoSomebodyElsesBuffer() throws TlsException {
        ByteBuffer memory = ByteBuffer.allocateDirect(TlsSession.MAX_RECORD_CONTENT);
        write(Unpooled.wrappedBuffer(memory).setIndex(0, 0).writeBytes(text("head")));
        write(text(" and more"));
        assertThat(memory.get(4)).isZero();
        assertThat(record()).isEqualTo("head and more");
    }

    // ---- faults

    /** Both in the buffer that the loop shares, and in one of its own. */
    @ParameterizedTest
    @ValueSource(ints = {10, 8_000})
    void aFaultOfTheSessionKeepsNoBuffer(int octets) {
        IllegalStateException fault = new IllegalStateException("of this test");
        session.fault = fault;
        ByteBuf content = UnpooledByteBufAllocator.DEFAULT.directBuffer(octets).writeZero(octets);
        assertThatThrownBy(() -> {
                    write(content);
                    outgoing.flush(at);
                })
                .isSameAs(fault);
        assertThat(content.refCnt()).isZero();
        // the loop keeps the one that it shares
        assertThat(session.wire).isNotNull().satisfies(wire -> assertThat(wire.refCnt())
                .isEqualTo(octets == 10 ? 1 : 0));
    }

    @Test
    void aFaultInWhatWasHeldReleasesWhatFollowsIt() throws TlsException {
        ByteBuf held = text("held");
        write(held);
        session.fault = new IllegalStateException("of this test");
        ByteBuf next = Unpooled.buffer().writeZero(5_000);
        assertThatThrownBy(() -> write(next)).isSameAs(session.fault);
        assertThat(held.refCnt()).isZero();
        assertThat(next.refCnt()).isZero();
    }

    /** Memory may be missing for the wire, and for a copy of content that is on the heap. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void contentForWhichThereIsNoMemoryIsReleased(boolean direct) {
        channel.config().setAllocator(new NoMemory());
        ByteBuf content = direct ? UnpooledByteBufAllocator.DEFAULT.directBuffer() : Unpooled.buffer();
        content.writeZero(8_000);
        assertThatThrownBy(() -> write(content)).isInstanceOf(OutOfMemoryError.class);
        assertThat(content.refCnt()).isZero();
    }

    private static final class NoMemory extends AbstractByteBufAllocator {
        @Override
        protected ByteBuf newHeapBuffer(int octets, int most) {
            throw new OutOfMemoryError("of this test");
        }

        @Override
        protected ByteBuf newDirectBuffer(int octets, int most) {
            throw new OutOfMemoryError("of this test");
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }
}

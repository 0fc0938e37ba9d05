package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import io.remora.transport.InboundHandler;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Small pieces of content that become one record. */
final class OutgoingTest {
    private final EmbeddedChannel channel = new EmbeddedChannel(new InboundHandler() {});
    private final ChannelHandlerContext at = channel.pipeline().firstContext();
    private final Outgoing outgoing = new Outgoing(new Plain());

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

    /** A session whose octets on the wire are the content's. */
    private static final class Plain extends TlsSession {
        @Override
        public void start() {}

        @Override
        public void decrypt(ByteBuf wire, ByteBuf content) {
            content.writeBytes(wire);
        }

        @Override
        public int contentRoom(int wireOctets) {
            return wireOctets;
        }

        @Override
        public boolean isInputClosed() {
            return false;
        }

        @Override
        public void encrypt(ByteBuf content, ByteBuf wire) {
            wire.writeBytes(content);
        }

        @Override
        public int wireRoom(int contentOctets) {
            return contentOctets;
        }

        @Override
        public @Nullable ByteBuf takeOutgoing(ByteBufAllocator allocator) {
            return null;
        }

        @Override
        public void closeOutput() {}

        @Override
        public boolean isEstablished() {
            return true;
        }

        @Override
        public @Nullable String protocol() {
            return null;
        }

        @Override
        public byte[][] peerChain() {
            return new byte[0][];
        }

        @Override
        public byte @Nullable [] ownCertificate() {
            return null;
        }

        @Override
        public boolean isResumed() {
            return false;
        }

        @Override
        public String version() {
            return "TLSv1.3";
        }

        @Override
        public String cipherSuite() {
            return "TLS_AES_128_GCM_SHA256";
        }

        @Override
        public void free() {}
    }
}

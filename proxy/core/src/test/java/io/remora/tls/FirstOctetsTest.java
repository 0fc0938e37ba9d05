package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import io.remora.memory.HandshakeBudget;
import io.remora.testkit.Wire;
import io.remora.transport.Handshake;
import io.remora.transport.InboundHandler;
import io.remora.transport.Link;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Octets that wait for room, in pieces, and connections that end before. */
final class FirstOctetsTest {
    private final List<TlsFailure> lost = new ArrayList<>();
    private @Nullable RuntimeException fault;
    private final List<Throwable> failures = new ArrayList<>();
    private final List<Boolean> handshakes = new ArrayList<>();
    private final StringBuilder passedOn = new StringBuilder();
    private final List<Boolean> told = new ArrayList<>();
    private Handshake.Cut cutReason = Handshake.Cut.TIME;
    private boolean hasRoom;
    private @Nullable Runnable later;

    private final EmbeddedChannel channel = new EmbeddedChannel();

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    private void begin() {
        channel.pipeline().addLast(new FirstOctets(channel, new Waiting(), new Recording()));
    }

    private static ByteBuf octets(String text) {
        return Unpooled.directBuffer().writeBytes(Wire.bytes(text));
    }

    @Test
    void piecesWaitInTheirOrder() {
        begin();
        channel.writeInbound(octets("\u0016"), octets("\u0003\u0001"), octets("hello"));
        assertThat(passedOn).isEmpty();
        assertThat(later).isNotNull();
        assertThat(channel.config().isAutoRead()).as("reads").isFalse();
        later.run();
        assertThat(passedOn).hasToString("\u0016\u0003\u0001hello");
        assertThat(channel.config().isAutoRead()).as("reads").isTrue();
        channel.writeInbound(octets(", and more"));
        assertThat(passedOn).hasToString("\u0016\u0003\u0001hello, and more");
    }

    @Test
    void octetsGoOnWhereThereIsRoom() {
        hasRoom = true;
        begin();
        channel.writeInbound(octets("\u0016\u0003\u0001"));
        assertThat(passedOn).hasToString("\u0016\u0003\u0001");
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET / HTTP/1.1", "x", "\u0016\u0002", "\u0016|\u0002\u0001"})
    void octetsThatBeginNoHandshakeNeedNoRoom(String octets) {
        begin();
        for (String piece : octets.split("\\|")) {
            channel.writeInbound(octets(piece));
        }
        assertThat(passedOn).hasToString(octets.replace("|", ""));
        assertThat(handshakes).containsExactly(false);
        assertThat(later).isNull();
    }

    @Test
    void moreThanAFirstFlightDoesNotWait() {
        begin();
        channel.writeInbound(octets("\u0016\u0003" + "x".repeat(HandshakeBudget.MOST_WAITING_OCTETS - 2)));
        assertThat(failures).isEmpty();
        channel.writeInbound(octets("x"));
        assertThat(failures).as("and no second one of its end").hasSize(1);
        assertThat(lost).containsExactly(TlsFailure.MEMORY);
        assertThat(channel.isOpen()).isFalse();
    }

    /** A client that has said nothing is a probe, of which no log line tells. */
    @ParameterizedTest
    @CsvSource({
        "0, TIME, TIMEOUT, false",
        "0, MEMORY, MEMORY, false",
        "1, MEMORY, MEMORY, true",
        "3, TIME, TIMEOUT, true",
        "3, MEMORY, MEMORY, true"
    })
    void theReasonOfACutIsTold(int octets, Handshake.Cut reason, TlsFailure expected, boolean logged) {
        begin();
        cutReason = reason;
        channel.writeInbound(octets("\u0016\u0003\u0001".substring(0, octets)));
        channel.close();
        channel.runPendingTasks();
        assertThat(lost).containsExactly(expected);
        assertThat(told).containsExactly(logged);
    }

    /** The fault does not reach the connection that made room. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFaultOfTheNextHandshakeEndsTheConnection(boolean waits) {
        hasRoom = !waits;
        fault = new IllegalStateException("of this test");
        begin();
        ByteBuf first = octets("\u0016\u0003\u0001");
        channel.writeInbound(first);
        if (later != null && waits) {
            later.run();
        }
        assertThat(lost).containsExactly(TlsFailure.INTERNAL);
        assertThat(channel.isOpen()).isFalse();
        assertThat(first.refCnt()).isZero();
    }

    /** The next handshake. */
    private final class Recording implements FirstOctets.Next {
        @Override
        public void begin(Channel on, Handshake.Outcome outcome, boolean isTls) {
            if (fault != null) {
                throw fault;
            }
            handshakes.add(isTls);
            on.pipeline().addLast(new InboundHandler() {
                @Override
                public void channelRead(ChannelHandlerContext at, Object message) {
                    ByteBuf octets = (ByteBuf) message;
                    passedOn.append(octets.toString(StandardCharsets.ISO_8859_1));
                    octets.release();
                }
            });
        }

        @Override
        public void lost(TlsException cause, boolean hasSpoken) {
            lost.add(cause.failure());
            told.add(hasSpoken);
        }
    }

    /** Has no room until {@code hasRoom}. */
    private final class Waiting implements Handshake.Outcome {
        @Override
        public void ready(Link link) {
            throw new AssertionError("ready");
        }

        @Override
        public boolean speaks(int octets, Runnable then) {
            later = then;
            return hasRoom;
        }

        @Override
        public Handshake.Cut cutReason() {
            return cutReason;
        }

        @Override
        public void failed(Throwable cause) {
            failures.add(cause);
            // a close in the middle of a read makes that fail as well
            channel.pipeline().fireExceptionCaught(new IOException("closed"));
            channel.close();
        }
    }
}

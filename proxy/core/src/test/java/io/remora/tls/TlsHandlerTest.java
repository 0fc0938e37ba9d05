package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import io.remora.metrics.TlsStats;
import io.remora.transport.Handshake;
import io.remora.transport.InboundHandler;
import io.remora.transport.Link;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults of this side in the middle of a protected connection: a peer must not take what it got for all. */
final class TlsHandlerTest {
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final PlainSession session = new PlainSession();
    private final List<Throwable> caught = new ArrayList<>();
    private @Nullable Link link;

    @BeforeEach
    void open() {
        TlsStats stats = new TlsStats("listener", "in", TlsFailure.labels());
        new TlsHandshake("listener in", new OneSession(session), true, 1, Runnable::run, stats)
                .begin(channel, new Handshake.Outcome() {
                    @Override
                    public void ready(Link made) {
                        link = made;
                    }

                    @Override
                    public void failed(Throwable cause) {
                        throw new AssertionError(cause);
                    }
                });
        channel.writeInbound(firstOctets());
        channel.pipeline().addLast(new InboundHandler() {
            @Override
            @SuppressWarnings("deprecation") // in outbound handlers only
            public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
                caught.add(cause);
                at.close();
            }
        });
        assertThat(link).isNotNull();
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    private static ByteBuf firstOctets() {
        return Unpooled.directBuffer().writeByte(Records.HANDSHAKE).writeByte(Records.MAJOR_VERSION);
    }

    private static ByteBuf content() {
        return Unpooled.directBuffer().writeZero(10);
    }

    /** Content that is encrypted at once, as somebody waits for it, or by the flush. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatCannotBeEncryptedEndsTheConnectionWithoutACloseNotify(boolean awaited) {
        session.fault = new IllegalStateException("of this test");
        channel.write(content(), awaited ? channel.newPromise() : channel.voidPromise());
        channel.flush();
        session.fault = null;
        channel.writeAndFlush(content(), channel.voidPromise());
        channel.runPendingTasks();
        assertThat(caught).isNotEmpty();
        assertThat(channel.isOpen()).isFalse();
        assertThat(session.ended).as("a close_notify").isFalse();
        assertThat(channel.outboundMessages()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"TIME, TIMEOUT", "MEMORY, MEMORY", "PLACE, BUSY"})
    void aHandshakeThatIsCutAfterItsLastStepHasFailed(Handshake.Cut reason, TlsFailure expected) {
        EmbeddedChannel cut = new EmbeddedChannel();
        List<Runnable> steps = new ArrayList<>();
        List<Throwable> failures = new ArrayList<>();
        TlsStats stats = new TlsStats("listener", "in", TlsFailure.labels());
        new TlsHandshake("listener in", new OneSession(new PlainSession()), true, 1, steps::add, stats)
                .begin(cut, new Handshake.Outcome() {
                    @Override
                    public void ready(Link made) {
                        throw new AssertionError("ready on a closed channel");
                    }

                    @Override
                    public void failed(Throwable cause) {
                        failures.add(cause);
                    }

                    @Override
                    public Handshake.Cut cutReason() {
                        return reason;
                    }
                });
        cut.writeInbound(firstOctets());
        // its result is a task of the loop, and so is the news of the close
        steps.get(0).run();
        cut.pipeline().close();
        cut.runPendingTasks();
        cut.checkException();
        assertThat(failures).singleElement().isInstanceOfSatisfying(TlsException.class, failure -> assertThat(
                        failure.failure())
                .isEqualTo(expected));
    }

    private static final class OneSession extends TlsContext {
        private final TlsSession session;

        OneSession(TlsSession session) {
            this.session = session;
        }

        @Override
        public TlsSession newSession() {
            return session;
        }

        @Override
        public void release() {}
    }
}

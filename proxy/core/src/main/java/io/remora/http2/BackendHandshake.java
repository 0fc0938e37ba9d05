package io.remora.http2;

import io.netty.channel.Channel;
import io.netty.util.AsciiString;
import io.remora.config.model.ClusterConfig;
import io.remora.http2.config.ClusterHttp2;
import io.remora.metrics.BackendHttp2Stats;
import io.remora.metrics.Stats;
import io.remora.transport.Handshake;
import io.remora.transport.Link;
import io.remora.transport.NanoClock;
import java.io.IOException;

/**
 * Makes connections to the endpoints of one cluster ready for HTTP/2: sends the preface, and waits for the endpoint's
 * settings. So an endpoint that speaks something else gets no request, and none gets more than it takes.
 *
 * <p>Thread safe. Spec: RFC 9113 section 3.
 */
public final class BackendHandshake implements Handshake {
    /** Its name in ALPN (RFC 9113 3.1). */
    private static final String H2 = "h2";

    private static final AsciiString PREFACE = AsciiString.of("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

    private final ClusterHttp2 http2;
    private final int headerBlockBytes;
    private final Handshake before;
    private final Stats all;
    private final BackendHttp2Stats stats;

    /**
     * @param before what the connection has to go through first, such as TLS
     */
    public BackendHandshake(ClusterConfig config, ClusterHttp2 http2, Handshake before, Stats all) {
        this.http2 = http2;
        this.headerBlockBytes = config.headerBlockBytes();
        this.before = before;
        this.all = all;
        this.stats = all.add(new BackendHttp2Stats(config.name(), http2.protocol()));
    }

    @Override
    public void begin(Channel channel, Outcome outcome) {
        before.begin(channel, new Outcome() {
            @Override
            public void ready(Link link) {
                goOn(link, outcome);
            }

            @Override
            public void failed(Throwable cause) {
                outcome.failed(cause);
            }
        });
    }

    private void goOn(Link link, Outcome outcome) {
        boolean agreed = H2.equals(link.protocol());
        boolean byPriorKnowledge = before == NONE && !http2.mayBeHttp1();
        if (agreed || byPriorKnowledge) {
            install(link, outcome);
        } else if (http2.mayBeHttp1()) {
            outcome.ready(link);
        } else {
            outcome.failed(new IOException("the endpoint does not speak HTTP/2"));
        }
    }

    private void install(Link link, Outcome outcome) {
        BackendFloods floods = new BackendFloods(NanoClock.SYSTEM);
        BackendHandler handler = new BackendHandler(link, http2, headerBlockBytes, floods, stats, outcome);
        link.channel().pipeline().addLast(handler);
        greet(handler.input, handler.writer);
    }

    private void greet(InputWindows input, FrameWriter writer) {
        // the endpoint reads our settings before any stream, whenever it acknowledges them
        input.begin();
        writer.preface(PREFACE.array());
        writer.settings(
                Frames.ENABLE_PUSH,
                0,
                Frames.INITIAL_WINDOW_SIZE,
                http2.windowBytes(),
                Frames.MAX_HEADER_LIST_SIZE,
                headerBlockBytes);
        writer.flush();
    }

    @Override
    public Handshake wrapped() {
        return before;
    }

    @Override
    public void end() {
        before.end();
    }

    @Override
    public void release() {
        before.release();
        all.remove(stats);
    }
}

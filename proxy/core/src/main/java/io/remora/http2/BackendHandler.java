package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.handler.codec.http2.DefaultHttp2ConnectionEncoder;
import io.netty.handler.codec.http2.DefaultHttp2FrameReader;
import io.netty.handler.codec.http2.DefaultHttp2LocalFlowController;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Exception.HeaderListSizeException;
import io.netty.handler.codec.http2.Http2Exception.StreamException;
import io.netty.handler.codec.http2.Http2LocalFlowController;
import io.netty.handler.codec.http2.Http2RemoteFlowController;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2Stream;
import io.remora.http2.config.ClusterHttp2;
import io.remora.metrics.BackendHttp2Stats;
import io.remora.transport.Handshake;
import io.remora.transport.Link;
import io.remora.transport.NanoClock;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP/2 connection to an endpoint in its pipeline: Netty's frames and windows. Until the endpoint's settings have come it
 * is a handshake, from then on it belongs to a {@link Http2BackendConnection}.
 *
 * <p>Owner: its channel's event loop. Bounds: the response's header list and window from the cluster's configuration; frames of 16
 * KiB; 16 small CONTINUATIONs a header list.
 */
final class BackendHandler extends CodecHandler implements BackendCodec {
    /**
     * Octets of the table by which requests are compressed: it would keep the octets of whole heads for each connection.
     * It would save some on a wire that mostly does not leave the host or its network. Octets of one client's request
     * that are never kept cannot be guessed at through another's (RFC 7541 7.1).
     */
    private static final int NO_TABLE = 0;

    private final BackendFloods floods;
    private final BackendHttp2Stats stats;
    private final int ownMaxStreams;
    private final Link link;
    private Handshake.@Nullable Outcome waiting;
    private @Nullable Http2BackendConnection owner;
    /** Streams that the endpoint takes at once, as its last settings say. */
    private int peerMaxStreams = Integer.MAX_VALUE;

    /** True where the endpoint takes a CONNECT that names a protocol (RFC 8441 3). */
    private boolean takesConnect;

    private boolean reading;
    /** True once a write has failed: all that follow do. */
    private boolean outputBroken;

    private BackendHandler(
            Http2ConnectionDecoder decoder,
            Http2ConnectionEncoder encoder,
            Http2Settings settings,
            BackendFloods floods,
            BackendHttp2Stats stats,
            int ownMaxStreams,
            Link link,
            Handshake.Outcome waiting) {
        super(decoder, encoder, settings);
        this.floods = floods;
        this.stats = stats;
        this.ownMaxStreams = ownMaxStreams;
        this.link = link;
        this.waiting = waiting;
    }

    /** Begins on a link; {@code outcome} hears when it is ready. */
    static void install(
            Link link, ClusterHttp2 http2, int headerBlockBytes, BackendHttp2Stats stats, Handshake.Outcome outcome) {
        Http2Connection connection = Http2Codec.connection(false);
        BackendFloods floods = new BackendFloods(NanoClock.SYSTEM);
        BackendReader reader = new BackendReader(
                new DefaultHttp2FrameReader(new SectionDecoder(headerBlockBytes), BackendFloods.SMALL_CONTINUATIONS),
                connection,
                floods);
        Http2ConnectionEncoder encoder = new DefaultHttp2ConnectionEncoder(
                connection, new CreditingWriter(new SectionEncoder(NO_TABLE), floods.credit()));
        Http2ConnectionDecoder decoder = Http2Codec.decoder(
                connection, windows(connection, encoder, http2.windowBytes()), encoder, reader, true);
        Http2Settings settings = new Http2Settings()
                .pushEnabled(false)
                .initialWindowSize(http2.windowBytes())
                .maxHeaderListSize(headerBlockBytes);
        BackendHandler handler =
                new BackendHandler(decoder, encoder, settings, floods, stats, http2.maxStreams(), link, outcome);
        decoder.frameListener(new BackendFrames(handler));
        link.channel().pipeline().addLast(handler);
        // the preface
        link.channel().flush();
    }

    // of streams from the first one on: the endpoint reads our settings before any of them, whenever it acknowledges
    // them
    private static Http2LocalFlowController windows(
            Http2Connection connection, Http2ConnectionEncoder encoder, int streamBytes) {
        // the connection's window opens at once: what a stream holds is bounded by its own
        DefaultHttp2LocalFlowController windows = new DefaultHttp2LocalFlowController(
                        connection, DefaultHttp2LocalFlowController.DEFAULT_WINDOW_UPDATE_RATIO, true)
                .frameWriter(encoder.frameWriter());
        try {
            windows.initialWindowSize(streamBytes);
        } catch (Http2Exception e) {
            throw new IllegalStateException("there is no stream yet", e);
        }
        return windows;
    }

    // ---- the handshake

    void settings(Http2Settings settings) {
        int before = maxStreams();
        Long streams = settings.maxConcurrentStreams();
        if (streams != null) {
            peerMaxStreams = (int) Math.min(Integer.MAX_VALUE, streams);
        }
        takesConnect |= Boolean.TRUE.equals(settings.connectProtocolEnabled());
        Http2BackendConnection grown = owner;
        if (grown != null && maxStreams() > before) {
            grown.roomGrew();
        }
        Handshake.Outcome told = waiting;
        if (told == null) {
            return;
        }
        waiting = null;
        if (peerMaxStreams == 0) {
            told.failed(new IOException("the endpoint takes no streams"));
        } else {
            told.ready(link);
        }
    }

    private void fail(Throwable cause) {
        Handshake.Outcome told = waiting;
        if (told != null) {
            waiting = null;
            told.failed(cause);
        }
    }

    /** Reports all events to {@code connection} from now on. */
    void attach(Http2BackendConnection connection) {
        owner = connection;
        floods.attach(connection);
        encoder().flowController().listener(new Http2RemoteFlowController.Listener() {
            @Override
            public void writabilityChanged(Http2Stream stream) {
                connection.writabilityChanged(
                        stream.id(), encoder().flowController().isWritable(stream));
            }
        });
    }

    @Nullable
    Http2BackendConnection owner() {
        return owner;
    }

    @Override
    public BackendHttp2Stats stats() {
        return stats;
    }

    @Override
    public boolean takesConnect() {
        return takesConnect;
    }

    @Override
    public int maxStreams() {
        return Math.min(ownMaxStreams, peerMaxStreams);
    }

    // ---- what streams want

    private ChannelHandlerContext context() {
        ChannelHandlerContext known = context;
        if (known == null) {
            throw new IllegalStateException("not in a pipeline");
        }
        return known;
    }

    @Override
    public boolean isReading() {
        return reading;
    }

    @Override
    public int nextStream() {
        Http2Connection.Endpoint<?> local = connection().local();
        boolean open = local.canOpenStream()
                && !connection().goAwayReceived()
                && !connection().goAwaySent();
        return open ? Math.max(0, local.incrementAndGetNextStreamId()) : 0;
    }

    @Override
    public void writeContent(int stream, ByteBuf content, boolean last) {
        ChannelHandlerContext at = context();
        encoder().writeData(at, stream, content, 0, last, at.newPromise());
    }

    @Override
    public boolean isWritable(int number) {
        Http2Stream stream = connection().stream(number);
        return stream != null && encoder().flowController().isWritable(stream);
    }

    @Override
    public boolean isSent(int number) {
        Http2Stream stream = connection().stream(number);
        return stream == null || !stream.state().localSideOpen();
    }

    @Override
    public void reset(int number, ErrorCode error) {
        if (connection().stream(number) != null) {
            stats.reset(false);
            writeReset(number, error.code());
            flushUnlessReading();
        }
    }

    @Override
    public void taken(int number, int octets) {
        try {
            if (consume(number, octets)) {
                flushUnlessReading();
            }
        } catch (Http2Exception e) {
            onError(context(), true, e);
        }
    }

    @Override
    public void flushUnlessReading() {
        if (!reading) {
            flush(context());
        }
    }

    @Override
    public void goAway(ErrorCode error) {
        if (!connection().goAwaySent() && !outputBroken) {
            ChannelHandlerContext at = context();
            stats.goneAway(false);
            goAway(at, 0, error.code(), Unpooled.EMPTY_BUFFER, at.newPromise());
            at.flush();
        }
    }

    /** Writes the GOAWAY itself: Netty would close the connection after an error's one. */
    @Override
    public void calm() {
        long calm = ErrorCode.ENHANCE_YOUR_CALM.code();
        if (ignoreAbove(0, calm)) {
            stats.goneAway(false);
            sayGoAway(0, calm);
            context().flush();
        }
    }

    // ---- the channel

    @Override
    public void channelRead(ChannelHandlerContext at, Object message) throws Exception {
        reading = true;
        super.channelRead(at, message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext at) throws Exception {
        Http2BackendConnection told = owner;
        if (told != null) {
            told.readComplete();
        }
        reading = false;
        super.channelReadComplete(at);
    }

    @Override
    public void flush(ChannelHandlerContext at) {
        super.flush(at);
        Http2BackendConnection told = owner;
        if (told != null) {
            told.flushed();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext at) throws Exception {
        super.channelInactive(at);
        fail(new IOException("closed"));
        Http2BackendConnection told = owner;
        if (told != null) {
            told.closed();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext at, Object event) {
        Http2BackendConnection told = owner;
        if (event instanceof ChannelOutputShutdownEvent && told != null) {
            outputBroken = true;
            told.outputBroken();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
        onError(at, false, cause);
    }

    @Override
    protected void onStreamError(ChannelHandlerContext at, boolean outbound, Throwable cause, StreamException error) {
        Http2BackendConnection told = owner;
        if (told != null && isUnderWay(told, outbound, error)) {
            return;
        }
        // what was on its way when its stream ended needs no answer
        if (!connection().local().mayHaveCreatedStream(error.streamId())) {
            super.onStreamError(at, outbound, cause, error);
        }
    }

    private static boolean isUnderWay(Http2BackendConnection told, boolean outbound, StreamException error) {
        return outbound && error instanceof HeaderListSizeException
                ? told.sectionTooLarge(error.streamId())
                : told.streamError(error.streamId(), code(error), outbound);
    }

    @Override
    protected void onConnectionError(
            ChannelHandlerContext at, boolean outbound, Throwable cause, @Nullable Http2Exception error) {
        fail(cause);
        Http2BackendConnection told = owner;
        if (told == null) {
            at.close();
            return;
        }
        if (isOutputBroken(at, cause)) {
            // a response or a GOAWAY may be there to be read, which says more
            outputBroken = true;
            told.outputBroken();
            return;
        }
        told.broken(cause, error == null ? null : code(error));
        if (error == null) {
            at.close();
        } else {
            super.onConnectionError(at, outbound, cause, error);
        }
    }

    private boolean isOutputBroken(ChannelHandlerContext at, Throwable cause) {
        return cause instanceof ChannelOutputShutdownException
                || outputBroken
                        && cause instanceof ClosedChannelException
                        && at.channel().isActive();
    }
}

package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameReader;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.util.AsciiString;
import io.remora.transport.NanoClock;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * The counts of an endpoint's frames that bring nothing; too many of them end the connection.
 *
 * <p>Owner: one connection. Order: before everything else that hears of frames, for what is about unknown streams goes no further.
 *
 * <p>Bounds: 1,000 frames a second that bring nothing, or as many since the endpoint took the last answer to one; 10,000 a second
 * for streams that are over, as some of each may be on their way when it ends; 1,000 WINDOW_UPDATEs a second. PINGs and WINDOW_UPDATEs
 * that {@link PeerFrames} pays for do not count. Spec: RFC 9113 section 10.5.
 */
final class BackendFloods implements Http2FrameReader, Http2FrameListener {
    private static final AsciiString CONTENT_LENGTH = AsciiString.of("content-length");
    private static final String CONTROL_FRAMES = "control-frames";
    private static final long WINDOW_NS = 1_000_000_000L;
    private static final long UPDATES_NS = 10 * WINDOW_NS;
    /** Kinds of counts. */
    private static final int EMPTY = 0;

    private static final int LATE = 1;
    private static final int WINDOW_UPDATES = 2;
    private static final int KINDS = 3;

    private static final int EMPTY_FRAMES = 1_000;
    private static final int LATE_FRAMES = 10_000;
    private static final int UPDATES = 1_000;

    private final Http2FrameReader reader;
    private final Http2Connection connection;
    private final PeerFrames credit;
    /** Null while the endpoint has not said its settings. */
    private @Nullable Http2BackendConnection owner;

    /** The listener behind this one. */
    private Http2FrameListener next = this;

    /** Once a bound was passed, nothing is answered that is not paid for. */
    private final FloodWindow counts;

    private int unanswered;

    BackendFloods(Http2FrameReader reader, Http2Connection connection, NanoClock clock) {
        this.reader = reader;
        this.connection = connection;
        this.credit = PeerFrames.ofEndpoint(clock, WINDOW_NS, UPDATES_NS);
        this.counts = new FloodWindow(KINDS, WINDOW_NS, clock);
    }

    /** Credit that frames which are written to the endpoint earn it. */
    PeerFrames credit() {
        return credit;
    }

    void attach(Http2BackendConnection connection) {
        owner = connection;
        NanoClock clock = connection.shared().loop().readyClock();
        counts.clock(clock);
        credit.clock(clock);
    }

    private void empty(ChannelHandlerContext context) throws Http2Exception {
        empty(context, CONTROL_FRAMES);
    }

    private void empty(ChannelHandlerContext context, String kind) throws Http2Exception {
        countUnanswered(context);
        int empty = counts.add(EMPTY);
        if (empty > EMPTY_FRAMES) {
            pass(kind, empty);
        }
    }

    private void countUnanswered(ChannelHandlerContext context) throws Http2Exception {
        unanswered = context.channel().isWritable() ? 0 : unanswered + 1;
        if (unanswered > EMPTY_FRAMES) {
            pass(CONTROL_FRAMES, unanswered);
        }
    }

    private void lateUnlessKnown(int stream) throws Http2Exception {
        if (connection.stream(stream) == null) {
            int late = counts.add(LATE);
            if (late > LATE_FRAMES) {
                pass("late-frames", late);
            }
        }
    }

    // the first time, streams that are under way may still end in order
    private void pass(String kind, int count) throws Http2Exception {
        Http2BackendConnection known = owner;
        if (counts.isPassed() || known == null || !known.flooded(kind, count)) {
            throw flood();
        }
        unanswered = 0;
        counts.pass();
    }

    private static Http2Exception flood() {
        return Http2Exception.connectionError(Http2Error.ENHANCE_YOUR_CALM, "too many frames that bring nothing");
    }

    // ---- the reader

    @Override
    public void readFrame(ChannelHandlerContext context, ByteBuf input, Http2FrameListener listener)
            throws Http2Exception {
        next = listener;
        reader.readFrame(context, input, this);
    }

    @Override
    public Configuration configuration() {
        return reader.configuration();
    }

    @Override
    public void close() {
        reader.close();
    }

    // ---- frames

    @Override
    public int onDataRead(ChannelHandlerContext context, int stream, ByteBuf data, int padding, boolean last)
            throws Http2Exception {
        if (!data.isReadable() && !last) {
            empty(context, "empty-frames");
        } else {
            lateUnlessKnown(stream);
        }
        return next.onDataRead(context, stream, data, padding, last);
    }

    @Override
    public void onHeadersRead(
            ChannelHandlerContext context, int stream, Http2Headers headers, int padding, boolean last)
            throws Http2Exception {
        lateUnlessKnown(stream);
        judgeLength(stream, headers);
        next.onHeadersRead(context, stream, headers, padding, last);
    }

    // the next listener makes one of several lengths that agree
    private static void judgeLength(int stream, Http2Headers headers) throws Http2Exception {
        Iterator<CharSequence> lengths = headers.valueIterator(CONTENT_LENGTH);
        if (lengths.hasNext()) {
            CharSequence length = lengths.next();
            if (lengths.hasNext() || AsciiString.indexOf(length, ',', 0) >= 0) {
                throw Http2Exception.streamError(stream, Http2Error.PROTOCOL_ERROR, "more than one length");
            }
        }
    }

    @Override
    public void onHeadersRead(
            ChannelHandlerContext context,
            int stream,
            Http2Headers headers,
            int dependency,
            short weight,
            boolean exclusive,
            int padding,
            boolean last)
            throws Http2Exception {
        // its priority says nothing to a client (RFC 9113 5.3.2)
        onHeadersRead(context, stream, headers, padding, last);
    }

    @Override
    public void onPriorityRead(
            ChannelHandlerContext context, int stream, int dependency, short weight, boolean exclusive)
            throws Http2Exception {
        empty(context);
    }

    @Override
    public void onRstStreamRead(ChannelHandlerContext context, int stream, long error) throws Http2Exception {
        if (connection.stream(stream) == null) {
            empty(context);
        }
        next.onRstStreamRead(context, stream, error);
    }

    @Override
    public void onSettingsAckRead(ChannelHandlerContext context) throws Http2Exception {
        empty(context);
        next.onSettingsAckRead(context);
    }

    @Override
    public void onSettingsRead(ChannelHandlerContext context, Http2Settings settings) throws Http2Exception {
        empty(context);
        if (!counts.isPassed()) {
            next.onSettingsRead(context, settings);
        }
    }

    @Override
    public void onPingRead(ChannelHandlerContext context, long data) throws Http2Exception {
        boolean paid = credit.payPing();
        if (paid) {
            countUnanswered(context);
        } else {
            empty(context);
        }
        if (paid || !counts.isPassed()) {
            next.onPingRead(context, data);
        }
    }

    @Override
    public void onPingAckRead(ChannelHandlerContext context, long data) throws Http2Exception {
        if (!credit.payAnswer()) {
            empty(context);
        }
        next.onPingAckRead(context, data);
    }

    @Override
    public void onPushPromiseRead(
            ChannelHandlerContext context, int stream, int promised, Http2Headers headers, int padding)
            throws Http2Exception {
        // RFC 9113 8.4: it has been switched off
        throw Http2Exception.connectionError(Http2Error.PROTOCOL_ERROR, "a push that nobody wants");
    }

    @Override
    public void onGoAwayRead(ChannelHandlerContext context, int last, long error, ByteBuf debug) throws Http2Exception {
        empty(context);
        next.onGoAwayRead(context, last, error, debug);
    }

    @Override
    public void onWindowUpdateRead(ChannelHandlerContext context, int stream, int increment) throws Http2Exception {
        if (!credit.payUpdate()) {
            int updates = counts.add(WINDOW_UPDATES);
            if (updates > UPDATES) {
                pass("window-updates", updates);
            }
        }
        next.onWindowUpdateRead(context, stream, increment);
    }

    @Override
    public void onUnknownFrame(ChannelHandlerContext context, byte type, int stream, Http2Flags flags, ByteBuf payload)
            throws Http2Exception {
        if (type == PriorityUpdates.TYPE) {
            // RFC 9218 7.1: it is a client's to send
            throw Http2Exception.connectionError(Http2Error.PROTOCOL_ERROR, "PRIORITY_UPDATE of a server");
        }
        empty(context);
    }
}

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

/**
 * Counts the frames of an endpoint that bring nothing, and has the connection end that brings too many of them.
 *
 * <p>Owner: one connection. Order: before everything else that hears of frames, for what is about unknown streams goes no further.
 *
 * <p>Bounds: 1,000 frames a second that bring nothing, or as many since the endpoint took the last answer to one; 10,000 a second
 * for streams that are over, as some of each may be on their way when it ends; of WINDOW_UPDATE 1,000, and more for what was sent:
 * two for each frame of content, one for each 256 octets. Spec: RFC 9113 section 10.5.
 */
final class BackendFloods implements Http2FrameReader, Http2FrameListener {
    private static final AsciiString CONTENT_LENGTH = AsciiString.of("content-length");
    private static final long WINDOW_NS = 1_000_000_000L;
    private static final int EMPTY_FRAMES = 1_000;
    private static final int LATE_FRAMES = 10_000;
    private static final int UPDATES = 1_000;
    private static final int OCTETS_AN_UPDATE = 256;

    private final Http2FrameReader reader;
    private final Http2Connection connection;
    private final NanoClock clock;
    /** Who is told of frames. */
    private Http2FrameListener next = this;

    private long sinceNs;
    private int empty;
    private int late;
    private int unanswered;
    private long updates;
    /** Small frames count as if they were as large as the updates that may answer them: the stream's and the connection's. */
    private long sentOctets;

    BackendFloods(Http2FrameReader reader, Http2Connection connection, NanoClock clock) {
        this.reader = reader;
        this.connection = connection;
        this.clock = clock;
        this.sinceNs = clock.nowNs();
    }

    /** A frame with so much content was sent, for which windows may be opened again. */
    void sent(int octets) {
        sentOctets += Math.max(octets, 2 * OCTETS_AN_UPDATE);
    }

    private void empty(ChannelHandlerContext context) throws Http2Exception {
        look();
        unanswered = context.channel().isWritable() ? 0 : unanswered + 1;
        if (++empty > EMPTY_FRAMES || unanswered > EMPTY_FRAMES) {
            throw flood();
        }
    }

    private void lateUnlessKnown(int stream) throws Http2Exception {
        if (connection.stream(stream) == null) {
            look();
            if (++late > LATE_FRAMES) {
                throw flood();
            }
        }
    }

    private void look() {
        long nowNs = clock.nowNs();
        if (nowNs - sinceNs > WINDOW_NS) {
            sinceNs = nowNs;
            empty = 0;
            late = 0;
        }
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
            empty(context);
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

    // who comes next makes one of several lengths that agree
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
        next.onSettingsRead(context, settings);
    }

    @Override
    public void onPingRead(ChannelHandlerContext context, long data) throws Http2Exception {
        empty(context);
        next.onPingRead(context, data);
    }

    @Override
    public void onPingAckRead(ChannelHandlerContext context, long data) throws Http2Exception {
        empty(context);
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
        if ((++updates - UPDATES) * OCTETS_AN_UPDATE > sentOctets) {
            throw flood();
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

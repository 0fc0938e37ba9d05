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
import java.util.Iterator;

/**
 * Reads an endpoint's frames, and has {@link BackendFloods} count them before any other listener.
 *
 * <p>Owner: one connection. Spec: RFC 9113 sections 8.1.1 and 8.4.
 */
final class BackendReader implements Http2FrameReader, Http2FrameListener {
    private static final AsciiString CONTENT_LENGTH = AsciiString.of("content-length");

    private final Http2FrameReader reader;
    private final Http2Connection connection;
    private final BackendFloods floods;
    /** The listener after this one. */
    private Http2FrameListener next = this;

    BackendReader(Http2FrameReader reader, Http2Connection connection, BackendFloods floods) {
        this.reader = reader;
        this.connection = connection;
        this.floods = floods;
    }

    private static void end(boolean flood) throws Http2Exception {
        if (flood) {
            throw Http2Exception.connectionError(Http2Error.ENHANCE_YOUR_CALM, "too many frames that bring nothing");
        }
    }

    private void empty(ChannelHandlerContext context) throws Http2Exception {
        end(floods.empty(context.channel().isWritable()));
    }

    private void lateUnlessKnown(int stream) throws Http2Exception {
        if (connection.stream(stream) == null) {
            end(floods.late());
        }
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
            end(floods.emptyContent(context.channel().isWritable()));
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
        if (!floods.isPassed()) {
            next.onSettingsRead(context, settings);
        }
    }

    @Override
    public void onPingRead(ChannelHandlerContext context, long data) throws Http2Exception {
        boolean paid = floods.payPing();
        end(floods.ping(paid, context.channel().isWritable()));
        if (paid || !floods.isPassed()) {
            next.onPingRead(context, data);
        }
    }

    @Override
    public void onPingAckRead(ChannelHandlerContext context, long data) throws Http2Exception {
        end(floods.pingAnswer(context.channel().isWritable()));
        next.onPingAckRead(context, data);
    }

    @Override
    public void onPushPromiseRead(
            ChannelHandlerContext context, int stream, int promised, Http2Headers headers, int padding)
            throws Http2Exception {
        // RFC 9113 8.4: it has been switched off
        throw Http2Exception.connectionError(Http2Error.PROTOCOL_ERROR, "a push that was not asked for");
    }

    @Override
    public void onGoAwayRead(ChannelHandlerContext context, int last, long error, ByteBuf debug) throws Http2Exception {
        empty(context);
        next.onGoAwayRead(context, last, error, debug);
    }

    @Override
    public void onWindowUpdateRead(ChannelHandlerContext context, int stream, int increment) throws Http2Exception {
        end(floods.windowUpdate());
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

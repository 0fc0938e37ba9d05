package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2EventAdapter;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import org.jspecify.annotations.Nullable;

/**
 * The frames that matter to requests, in the state in which Netty lets them through, and the ends of streams.
 *
 * <p>Owner: one connection.
 */
final class FrontendFrames extends Http2EventAdapter {
    private final Http2FrontendConnection owner;
    private final Http2Connection connection;
    private final Http2Connection.PropertyKey key;

    FrontendFrames(Http2FrontendConnection owner, Http2Connection connection) {
        this.owner = owner;
        this.connection = connection;
        this.key = connection.newKey();
    }

    private @Nullable Http2FrontendStream of(int id) {
        Http2Stream stream = connection.stream(id);
        return stream == null ? null : stream.getProperty(key);
    }

    @Override
    public void onHeadersRead(ChannelHandlerContext at, int id, Http2Headers headers, int padding, boolean ends) {
        Http2Stream stream = connection.stream(id);
        if (stream == null || !(headers instanceof RequestLines lines)) {
            return;
        }
        Http2FrontendStream known = stream.getProperty(key);
        if (known != null) {
            owner.requests.trailers(known, lines);
            return;
        }
        Http2FrontendStream begun = owner.open(stream);
        stream.setProperty(key, begun);
        owner.requests.begin(begun, lines, ends);
    }

    @Override
    public void onHeadersRead(
            ChannelHandlerContext at,
            int id,
            Http2Headers headers,
            int dependency,
            short weight,
            boolean exclusive,
            int padding,
            boolean ends) {
        onHeadersRead(at, id, headers, padding, ends);
    }

    /** A section was larger than it may be; its stream may not exist yet. */
    void headersTooLarge(int id) throws Http2Exception {
        Http2Stream stream = connection.stream(id);
        if (stream == null) {
            stream = connection.remote().createStream(id, false);
        }
        Http2FrontendStream known = stream.getProperty(key);
        if (known == null) {
            known = owner.open(stream);
            stream.setProperty(key, known);
        }
        owner.requests.tooLarge(known);
    }

    @Nullable
    Http2FrontendStream stream(int id) {
        return of(id);
    }

    @Override
    public int onDataRead(ChannelHandlerContext at, int id, ByteBuf data, int padding, boolean ends)
            throws Http2Exception {
        if (!ends && !data.isReadable()) {
            owner.faults.emptyFrame();
        }
        Http2FrontendStream stream = of(id);
        return padding + (stream == null ? data.readableBytes() : stream.data(data, ends));
    }

    @Override
    public void onRstStreamRead(ChannelHandlerContext at, int id, long code) {
        owner.faults.resetByClient(of(id));
    }

    @Override
    public void onSettingsAckRead(ChannelHandlerContext at) throws Http2Exception {
        owner.settingsKnown();
    }

    @Override
    public void onPingAckRead(ChannelHandlerContext at, long data) {
        owner.goAway.pingAnswered(data);
    }

    @Override
    public void onWindowUpdateRead(ChannelHandlerContext at, int id, int delta) {
        Http2FrontendStream stream = of(id);
        if (stream != null) {
            owner.turn.touch(stream);
        }
    }

    @Override
    public void onStreamAdded(Http2Stream stream) {
        owner.streams.added();
    }

    @Override
    public void onStreamClosed(Http2Stream stream) {
        Http2FrontendStream known = stream.getProperty(key);
        if (known != null) {
            known.closed();
        }
    }
}

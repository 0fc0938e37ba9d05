package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import io.remora.http2.hpack.FieldSection;
import org.jspecify.annotations.Nullable;

/**
 * The frames that matter to requests, in the state in which Netty lets them through, and the ends of streams.
 *
 * <p>Owner: one connection.
 */
final class FrontendFrames extends StreamFrames<Http2FrontendStream> {
    private final Http2FrontendConnection owner;
    private final Http2Connection connection;

    FrontendFrames(Http2FrontendConnection owner, Http2Connection connection) {
        this.owner = owner;
        this.connection = connection;
    }

    @Override
    @Nullable
    Http2FrontendStream stream(int id) {
        return owner.streams.get(id);
    }

    @Override
    void section(int id, @Nullable Http2FrontendStream known, Http2Headers headers, boolean ends) {
        if (!(headers instanceof SectionHeaders read)) {
            return;
        }
        FieldSection section = read.section();
        try {
            if (connection.stream(id) == null) {
                return;
            }
            if (known == null) {
                owner.requests.begin(owner.open(id), section, ends);
            } else {
                owner.requests.trailers(known, section);
            }
        } finally {
            section.clear();
        }
    }

    /** A section was larger than it may be; its stream may not exist yet. */
    void headersTooLarge(int id) throws Http2Exception {
        if (connection.stream(id) == null) {
            connection.remote().createStream(id, false);
        }
        Http2FrontendStream known = stream(id);
        owner.requests.tooLarge(known == null ? owner.open(id) : known);
    }

    @Override
    int content(@Nullable Http2FrontendStream stream, ByteBuf data, boolean ends) {
        if (!ends && !data.isReadable()) {
            owner.faults.emptyFrame();
        }
        return stream == null ? data.readableBytes() : stream.data(data, ends);
    }

    @Override
    void reset(@Nullable Http2FrontendStream stream, long code) {
        owner.faults.resetByClient(stream);
    }

    @Override
    void widened(Http2FrontendStream stream) {
        owner.turn.touch(stream);
    }

    @Override
    public void onSettingsAckRead(ChannelHandlerContext at) {
        owner.settingsKnown();
    }

    @Override
    public void onPingAckRead(ChannelHandlerContext at, long data) {
        owner.goAway.pingAnswered(data);
    }

    @Override
    public void onStreamAdded(Http2Stream stream) {
        owner.streams.added();
    }

    @Override
    public void onStreamClosed(Http2Stream stream) {
        Http2FrontendStream known = stream(stream.id());
        if (known != null) {
            known.closed();
        }
    }
}

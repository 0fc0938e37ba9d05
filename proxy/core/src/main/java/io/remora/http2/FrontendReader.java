package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.DefaultHttp2FrameReader;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads frames, and sees a header section for a stream that has ended before anybody takes it for trailers. It leaves
 * out the frames that a client had under way for a stream that was refused. It stops where the connection does.
 *
 * <p>Owner: one connection. Spec: RFC 9113 sections 5.1 and 5.1.1.
 */
final class FrontendReader extends DefaultHttp2FrameReader {
    private final Http2FrontendConnection owner;
    private final Http2Connection connection;
    private @Nullable Http2FrameListener known;
    private @Nullable Http2FrameListener judging;

    FrontendReader(Http2FrontendConnection owner, Http2Connection connection, Http2HeadersDecoder decoder) {
        super(decoder);
        this.owner = owner;
        this.connection = connection;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // the same one, which changes once
    public void readFrame(ChannelHandlerContext at, ByteBuf input, Http2FrameListener listener) throws Http2Exception {
        Http2FrameListener judge = judging;
        if (judge == null || listener != known) {
            known = listener;
            judge = new Judge(listener);
            judging = judge;
        }
        super.readFrame(at, input, judge);
    }

    // Netty reads all frames of a buffer, whatever has become of the connection by one of them
    private void checkGoesOn() throws Http2Exception {
        if (owner.isOver()) {
            throw Http2Exception.connectionError(Http2Error.ENHANCE_YOUR_CALM, "the connection has been ended");
        }
    }

    private void judge(int id) throws Http2Exception {
        checkGoesOn();
        Http2Stream stream = connection.stream(id);
        if (stream == null && connection.streamMayHaveExisted(id) && !owner.faults.hasReset(id)) {
            boolean opened = connection.remote().lastStreamCreated() / 2 + 1 == owner.streams.opened();
            throw Http2Exception.connectionError(
                    opened ? Http2Error.STREAM_CLOSED : Http2Error.PROTOCOL_ERROR, "HEADERS of an old stream");
        }
        if (stream != null && stream.state() == Http2Stream.State.HALF_CLOSED_REMOTE && stream.isHeadersReceived()) {
            throw Http2Exception.streamError(id, Http2Error.STREAM_CLOSED, "HEADERS after the end");
        }
    }

    // Netty knows nothing of them, and takes what follows for frames of a stream that nobody has opened
    private boolean isRefused(int id) {
        return !connection.streamMayHaveExisted(id) && owner.faults.hasRefused(id);
    }

    private final class Judge extends Http2FrameListenerDecorator {
        Judge(Http2FrameListener listener) {
            super(listener);
        }

        @Override
        public int onDataRead(ChannelHandlerContext at, int id, ByteBuf data, int padding, boolean ends)
                throws Http2Exception {
            checkGoesOn();
            if (isRefused(id)) {
                // as no stream's, it is given back to the connection's window at once
                connection.local().flowController().receiveFlowControlledFrame(null, data, padding, ends);
                owner.faults.strayFrame();
                return 0;
            }
            return super.onDataRead(at, id, data, padding, ends);
        }

        @Override
        public void onRstStreamRead(ChannelHandlerContext at, int id, long code) throws Http2Exception {
            if (connection.stream(id) == null) {
                owner.faults.strayFrame();
            }
            if (!isRefused(id)) {
                super.onRstStreamRead(at, id, code);
            }
        }

        @Override
        public void onUnknownFrame(ChannelHandlerContext at, byte type, int id, Http2Flags flags, ByteBuf payload)
                throws Http2Exception {
            checkGoesOn();
            if (type == PriorityUpdates.TYPE) {
                ErrorCode fault = PriorityUpdates.judge(id, payload);
                if (fault != null) {
                    throw Http2Exception.connectionError(Http2Error.valueOf(fault.code()), "PRIORITY_UPDATE");
                }
            }
        }

        @Override
        public void onWindowUpdateRead(ChannelHandlerContext at, int id, int delta) throws Http2Exception {
            // which has been counted, whatever it is for
            if (!isRefused(id)) {
                super.onWindowUpdateRead(at, id, delta);
            }
        }

        @Override
        public void onHeadersRead(ChannelHandlerContext at, int id, Http2Headers headers, int padding, boolean ends)
                throws Http2Exception {
            judge(id);
            if (isRefused(id)) {
                owner.faults.strayFrame();
            } else {
                super.onHeadersRead(at, id, headers, padding, ends);
            }
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
                boolean ends)
                throws Http2Exception {
            judge(id);
            if (isRefused(id)) {
                owner.faults.strayFrame();
            } else {
                super.onHeadersRead(at, id, headers, dependency, weight, exclusive, padding, ends);
            }
        }
    }
}

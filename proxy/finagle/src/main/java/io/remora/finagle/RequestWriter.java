package io.remora.finagle;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.remora.http.BodyLength;
import io.remora.http.Fields;
import io.remora.http1.ChunkWriter;
import io.remora.http1.HeadWriter;
import java.io.IOException;

/**
 * Writes the requests on one connection, and holds the body of each to the length that its head has declared. A body of
 * another length ends the connection.
 *
 * <p>Owner: the event loop. Spec: RFC 9112 sections 6.2 and 7.1.
 */
final class RequestWriter {
    /** The part of a request that the endpoint still gets. */
    private enum Output {
        NOTHING,
        /** Content as it is, of the declared length. */
        PLAIN,
        CHUNKS
    }

    private final HeadWriter heads;
    private Output output = Output.NOTHING;
    private long left;

    RequestWriter(HeadWriter heads) {
        this.heads = heads;
    }

    /** Returns whether nothing of a body is owed. */
    boolean isEnded() {
        return output == Output.NOTHING;
    }

    /** Writes the head of a request, and its body where that is at hand. */
    void begin(ChannelHandlerContext at, RequestStart start, ChannelPromise done) {
        boolean chunked = start.length() == BodyLength.UNKNOWN;
        ByteBuf head = heads.request(at.alloc(), start.method(), start.target(), start.fields(), chunked);
        Piece content = start.content();
        if (content == null) {
            expect(start.length());
            at.write(head, done);
        } else {
            at.write(head);
            at.write(content.take(), done);
        }
    }

    private void expect(long length) {
        left = length;
        output = length == BodyLength.UNKNOWN
                ? Output.CHUNKS
                : length == BodyLength.NONE ? Output.NOTHING : Output.PLAIN;
    }

    void content(ChannelHandlerContext at, Piece piece, ChannelPromise done) {
        if (piece.length() == 0) {
            piece.drop();
            done.setSuccess();
        } else if (output == Output.PLAIN && piece.length() <= left) {
            left -= piece.length();
            at.write(piece.take(), done);
        } else if (output == Output.CHUNKS) {
            chunk(at, piece.take(), done);
        } else {
            piece.drop();
            contradict(at, done, "more content than the request declared");
        }
    }

    private static void chunk(ChannelHandlerContext at, ByteBuf content, ChannelPromise done) {
        if (ChunkWriter.isSmall(content)) {
            at.write(ChunkWriter.whole(at.alloc(), content), done);
        } else {
            at.write(ChunkWriter.start(at.alloc(), content.readableBytes()));
            at.write(content);
            at.write(ChunkWriter.end(), done);
        }
    }

    void end(ChannelHandlerContext at, MessageEnd end, ChannelPromise done) {
        Output ended = output;
        if (ended == Output.PLAIN && left > 0) {
            contradict(at, done, "less content than the request declared");
            return;
        }
        output = Output.NOTHING;
        if (ended == Output.CHUNKS) {
            Fields trailers = end.trailers();
            at.write(trailers == null ? ChunkWriter.last() : ChunkWriter.last(at.alloc(), trailers), done);
        } else {
            done.setSuccess();
        }
    }

    private static void contradict(ChannelHandlerContext at, ChannelPromise done, String how) {
        done.setFailure(new IOException(how));
        at.close();
    }
}

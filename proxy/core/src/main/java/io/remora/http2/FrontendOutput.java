package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.remora.http.BodyLength;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.RequestHead;
import io.remora.http.ResponseHead;
import io.remora.http.WebSocketKeys;
import io.remora.transport.Unsent;
import org.jspecify.annotations.Nullable;

/**
 * One response on its way to the client: its head, the content that waits for the windows of the stream and of the
 * connection, and its end, which comes once.
 *
 * <p>Owner: one stream. Bounds: the writer checks {@link #isWritable} first, so that at most a mark and one read of the
 * backend wait. Spec: RFC 9113 sections 5.2 and 8.1; RFC 8441 section 5.
 */
final class FrontendOutput implements Unsent, WireStream.Progress {
    private static final int OK = 200;

    /** The part of the response that is still to be written; it only ever moves on. */
    private enum Body {
        OPEN,
        /** Its client looks for a status of gRPC after the content, so that trailers may end it at any time. */
        OWES_STATUS,
        ENDED
    }

    private final FrontendCodec codec;
    private final Http2FrontendStream owner;
    private final int stream;
    private int pending;
    private int mark = Integer.MAX_VALUE;
    /** Bytes that have left for the channel. */
    private long moved;

    private Body body = Body.OPEN;
    /** True once the writer knows that the client takes nothing. */
    private boolean full;

    FrontendOutput(FrontendCodec codec, Http2FrontendStream owner, int stream) {
        this.codec = codec;
        this.owner = owner;
        this.stream = stream;
    }

    /** Sets the bound on waiting bytes. */
    void mark(int bytes) {
        mark = bytes;
    }

    boolean isWritable() {
        full = pending >= mark;
        return !full;
    }

    /** Returns whether enough has left since it was not writable; true once only. */
    boolean hasRoomAgain() {
        boolean again = full && pending <= mark / 2;
        full &= !again;
        return again;
    }

    boolean hasEnded() {
        return body == Body.ENDED;
    }

    // ---- the head

    void interim(ResponseHead head) {
        write(FrontendHeaders.of(head), head.fields, false);
    }

    // what waits in the connection's queue counts as the stream's, or a client that reads nothing would have no bound
    private void write(SentSection section, Fields fields, boolean ends) {
        ChannelFuture written = codec.writeSection(stream, section, ends);
        if (written != null && !written.isDone()) {
            int bytes = fields.length();
            pending += bytes;
            written.addListener(new ChannelFutureListener() {
                @Override
                public void operationComplete(ChannelFuture done) {
                    pending -= bytes;
                    moved += bytes;
                    owner.outputLeft();
                }
            });
        }
    }

    /**
     * @param call whether it is the response to a call of gRPC
     */
    void head(ResponseHead head, boolean call) {
        boolean unknown = head.bodyLength() == BodyLength.UNKNOWN;
        if (unknown) {
            head.fields.remove(FieldName.CONTENT_LENGTH);
        }
        boolean owesStatus = call && unknown && head.status == OK && RequestHead.hasGrpcContent(head.fields);
        boolean ends = head.bodyLength() == BodyLength.NONE;
        body = ends ? Body.ENDED : owesStatus ? Body.OWES_STATUS : Body.OPEN;
        write(FrontendHeaders.of(head), head.fields, ends);
    }

    /** Writes the head of a stream that is a tunnel from here on. */
    void switched(ResponseHead head) {
        head.fields.remove(WebSocketKeys.ACCEPT);
        codec.writeSection(stream, FrontendHeaders.ofSwitch(head), false);
    }

    // ---- what follows

    @Override
    public long unsent() {
        return pending;
    }

    @Override
    public boolean hasUnsent() {
        return pending > 0;
    }

    @Override
    public long moved() {
        return moved;
    }

    @Override
    public long sendPosition() {
        return moved;
    }

    @Override
    public void bound(int grant, int sent, int queued) {
        mark(Math.min(owner.bufferBytes(), queued));
    }

    /** Takes over {@code content}. */
    void add(ByteBuf content) {
        if (hasEnded() || !content.isReadable()) {
            content.release();
            return;
        }
        pending += content.readableBytes();
        codec.queue(stream, content, this);
    }

    /** Ends the response after all content that has been added. */
    void end(@Nullable Fields trailers) {
        if (hasEnded()) {
            return;
        }
        body = Body.ENDED;
        if (trailers != null && !trailers.isEmpty()) {
            write(FrontendHeaders.of(trailers), trailers, true);
        } else {
            codec.endStream(stream);
        }
    }

    /** Returns whether trailers may say how it failed though its content is not whole. */
    boolean mayEndEarly() {
        return body == Body.OWES_STATUS;
    }

    /** Ends the response at once with these trailers, where that is allowed; drops content that waits. */
    boolean endEarly(Fields trailers) {
        boolean may = mayEndEarly();
        if (may) {
            body = Body.ENDED;
            codec.endStreamEarly(stream, FrontendHeaders.of(trailers));
        }
        return may;
    }

    /** Counts content that has left for the channel. */
    @Override
    public void left(int bytes) {
        pending -= bytes;
        moved += bytes;
        owner.outputMoved();
    }

    /** Counts content that never will leave. */
    @Override
    public void dropped(int bytes) {
        pending -= bytes;
    }
}

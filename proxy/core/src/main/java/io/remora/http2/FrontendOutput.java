package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.remora.exchange.Frontend;
import io.remora.http.BodyLength;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.RequestHead;
import io.remora.http.ResponseHead;
import io.remora.http.WebSocketKeys;
import io.remora.transport.Link;
import io.remora.transport.Unsent;
import org.jspecify.annotations.Nullable;

/**
 * The client of one stream as its exchange sees it: the response on its way there, with its head, the content that waits
 * for the windows of the stream and of the connection, and its end, which comes once. The rest of what the exchange asks
 * for is up to the {@link Http2FrontendStream}.
 *
 * <p>Owner: one stream. Bounds: the exchange checks {@link #isWritable} first, so that at most a mark and one read of the
 * backend wait. Spec: RFC 9113 sections 5.2 and 8.1; RFC 8441 section 5.
 */
final class FrontendOutput extends Frontend implements Unsent, WireStream.Progress {
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
    private int pending;
    private int mark = Integer.MAX_VALUE;
    /** Bytes that have left for the channel. */
    private long moved;

    private Body body = Body.OPEN;
    /** True once the exchange knows that the client takes nothing. */
    private boolean full;

    FrontendOutput(Link link, FrontendCodec codec, Http2FrontendStream owner) {
        super(link);
        this.codec = codec;
        this.owner = owner;
    }

    @Override
    public String version() {
        return "HTTP/2";
    }

    @Override
    public boolean isGivenUp() {
        return owner.isGivenUp();
    }

    // ---- its room

    /** Sets the bound on waiting bytes. */
    void mark(int bytes) {
        mark = bytes;
    }

    @Override
    public boolean isWritable() {
        if (isGivenUp()) {
            return true;
        }
        full = pending >= mark;
        return !full;
    }

    /** Returns whether enough has left since it was not writable; true once only. */
    boolean hasRoomAgain() {
        boolean again = full && pending <= mark / 2;
        full &= !again;
        return again;
    }

    @Override
    public void bound(int bytes) {
        owner.bound(bytes);
    }

    @Override
    public boolean keeps(int grant, int held) {
        return owner.keeps(grant, held);
    }

    // ---- the head

    @Override
    public void respondInterim(ResponseHead head) {
        if (!isGivenUp()) {
            write(FrontendHeaders.of(head), head.fields, false);
            owner.turn().flush();
        }
    }

    // what waits in the connection's queue counts as the stream's, or a client that reads nothing would have no bound
    private void write(SentSection section, Fields fields, boolean ends) {
        ChannelFuture written = codec.writeSection(owner.id(), section, ends);
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

    @Override
    public void respond(ResponseHead head, boolean last) {
        if (!isGivenUp()) {
            writeHead(head, owner.isGrpcCall());
        }
    }

    private void writeHead(ResponseHead head, boolean call) {
        boolean unknown = head.bodyLength() == BodyLength.UNKNOWN;
        if (unknown) {
            head.fields.remove(FieldName.CONTENT_LENGTH);
        }
        boolean owesStatus = call && unknown && head.status == OK && RequestHead.hasGrpcContent(head.fields);
        boolean ends = head.bodyLength() == BodyLength.NONE;
        body = ends ? Body.ENDED : owesStatus ? Body.OWES_STATUS : Body.OPEN;
        write(FrontendHeaders.of(head), head.fields, ends);
    }

    @Override
    public void openTunnel(ResponseHead head) {
        owner.beginTunnel();
        if (!isGivenUp()) {
            head.fields.remove(WebSocketKeys.ACCEPT);
            codec.writeSection(owner.id(), FrontendHeaders.ofSwitch(head), false);
            flush();
        }
    }

    @Override
    public void tunnelOpened() {
        owner.tunnelOpened();
    }

    // ---- what waits

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

    // ---- what follows

    @Override
    public void respondContent(ByteBuf content) {
        if (isGivenUp() || hasEnded() || !content.isReadable()) {
            content.release();
            return;
        }
        pending += content.readableBytes();
        codec.queue(owner.id(), content, this);
    }

    @Override
    public void flush() {
        owner.turn().touch(owner);
        owner.turn().flush();
    }

    @Override
    public void readBody(boolean wanted) {
        owner.readBody(wanted);
    }

    // ---- its end

    boolean hasEnded() {
        return body == Body.ENDED;
    }

    @Override
    public void respondEnd(@Nullable Fields trailers) {
        if (!isGivenUp()) {
            end(trailers);
            if (owner.isTunnel()) {
                // the end of a backend's connection comes behind the end of its last read
                flush();
            }
        }
    }

    private void end(@Nullable Fields trailers) {
        if (hasEnded()) {
            return;
        }
        body = Body.ENDED;
        if (trailers != null && !trailers.isEmpty()) {
            write(FrontendHeaders.of(trailers), trailers, true);
        } else {
            codec.endStream(owner.id());
        }
    }

    /** Returns whether trailers may say how it failed though its content is not whole. */
    boolean mayEndEarly() {
        return body == Body.OWES_STATUS;
    }

    @Override
    public boolean endEarly(Fields trailers) {
        boolean may = !isGivenUp() && mayEndEarly();
        if (may) {
            body = Body.ENDED;
            codec.endStreamEarly(owner.id(), FrontendHeaders.of(trailers));
            owner.turn().flush();
        }
        return may;
    }

    @Override
    public void abort() {
        owner.abort();
    }

    @Override
    public void exchangeDone() {
        owner.exchangeDone();
    }

    // ---- what becomes of it

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

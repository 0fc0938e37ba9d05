package io.remora.http1;

import io.netty.buffer.ByteBuf;
import io.remora.exchange.Frontend;
import io.remora.exchange.FrontendExchange;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.http.ResponseHead;
import org.jspecify.annotations.Nullable;

/**
 * One request of a client's connection, as its exchange sees the client. Writes the response with the framing that the
 * client understands.
 *
 * <p>Owner: one connection. Bounds: the channel's water marks. Spec: RFC 9112 sections 6 and 9.6.
 */
final class Http1FrontendStream extends Frontend {
    /** Next part of the response for the client. */
    private enum Output {
        HEAD,
        /** Content as it is, until its declared length or the close of the connection ends it. */
        PLAIN,
        CHUNKS,
        /** Content as it is, whose end only the close of the connection shows. */
        UNTIL_CLOSE,
        TUNNEL,
        NOTHING
    }

    private final Http1FrontendRequests requests;
    private final MessageWriter out;
    private final Http1Request request;
    private boolean keepAlive;
    private Output output = Output.HEAD;
    private @Nullable FrontendExchange exchange;
    /** A head that waits for content small enough to go with it. */
    private @Nullable ByteBuf pending;

    Http1FrontendStream(Http1FrontendRequests requests, Http1Request request, boolean keepAlive) {
        super(requests.link);
        this.requests = requests;
        this.out = requests.out;
        this.request = request;
        this.keepAlive = keepAlive;
    }

    void serve(FrontendExchange begun) {
        exchange = begun;
    }

    @Nullable
    FrontendExchange exchange() {
        return exchange;
    }

    @Override
    public String version() {
        return request.isHttp11() ? "HTTP/1.1" : "HTTP/1.0";
    }

    // ---- the response

    @Override
    public void respondInterim(ResponseHead head) {
        // RFC 9110 15.2: never to an HTTP/1.0 client
        if (request.isHttp11()) {
            out.write(head(head, false, 0));
            out.flush();
        }
    }

    private ByteBuf head(ResponseHead head, boolean close, int room) {
        Octets reason = head.reason == null ? Reasons.of(head.status) : head.reason;
        return requests.heads.response(
                out.allocator(), head.status, reason, head.fields, output == Output.CHUNKS, close, room);
    }

    @Override
    public void respond(ResponseHead head, boolean last) {
        if (last || !requests.isKept()) {
            keepAlive = false;
            requests.connection.keepNoLonger();
        }
        long length = head.bodyLength();
        if (length == BodyLength.UNKNOWN) {
            frameUnknown(head.fields);
        } else if (length == BodyLength.NONE) {
            output = Output.NOTHING;
            frameNone(head);
        } else {
            output = Output.PLAIN;
        }
        String upgrade = head.demandedUpgrade();
        if (upgrade != null && request.isHttp11()) {
            head.fields.set(FieldName.CONNECTION, "Upgrade");
            head.fields.set(FieldName.UPGRADE, upgrade);
        }
        int room = roomFor(length);
        ByteBuf bytes = head(head, !keepAlive, room);
        if (room > 0) {
            pending = bytes;
        } else {
            out.write(bytes);
        }
    }

    // versions that end a stream need no length to say that there is nothing; without one the close would have to say
    // it
    private void frameNone(ResponseHead head) {
        if (!head.fields.contains(FieldName.CONTENT_LENGTH)
                && !request.isHead()
                && !ResponseHead.neverHasBody(head.status)) {
            head.fields.add(FieldName.CONTENT_LENGTH, "0");
        }
    }

    // RFC 9112 6.1: no transfer coding to a client that may not know of it; the close marks the end then
    private void frameUnknown(Fields fields) {
        fields.remove(FieldName.CONTENT_LENGTH);
        if (request.isHttp11()) {
            output = Output.CHUNKS;
        } else {
            output = Output.UNTIL_CLOSE;
        }
    }

    private static int roomFor(long length) {
        return length > 0 && length <= ChunkWriter.SMALL_OCTETS ? (int) length : 0;
    }

    @Override
    public void respondContent(ByteBuf content) {
        switch (output) {
            case PLAIN, UNTIL_CLOSE -> writePlain(content);
            case CHUNKS -> out.writeChunk(content);
            case TUNNEL -> {
                requests.tunnelMoved();
                out.write(content);
            }
            case HEAD, NOTHING -> content.release();
        }
    }

    private void writePlain(ByteBuf content) {
        ByteBuf head = pending;
        if (head != null && content.readableBytes() <= head.writableBytes()) {
            head.writeBytes(content);
            content.release();
            return;
        }
        writePending();
        out.write(content);
    }

    private void writePending() {
        ByteBuf head = pending;
        if (head != null) {
            pending = null;
            out.write(head);
        }
    }

    @Override
    public void respondEnd(@Nullable Fields trailers) {
        Output ended = output;
        output = Output.NOTHING;
        if (ended == Output.CHUNKS) {
            out.writeLastChunk(trailers);
        } else if (ended == Output.TUNNEL) {
            requests.link.shutdownOutputBehindWrites(false);
        }
    }

    @Override
    public void flush() {
        writePending();
        out.flush();
    }

    @Override
    public boolean isWritable() {
        return out.isWritable();
    }

    @Override
    public void bound(int bytes) {
        requests.connection.memory().bound(bytes);
    }

    @Override
    public boolean keeps(int grant, int held) {
        return !requests.connection.isClosed() && requests.connection.memory().keep(grant, held);
    }

    @Override
    public void readBody(boolean wanted) {
        requests.readBody(wanted);
    }

    @Override
    public void openTunnel(ResponseHead head) {
        head.fields.set(FieldName.CONNECTION, "Upgrade");
        head.fields.set(FieldName.UPGRADE, Http1Request.WEBSOCKET);
        output = Output.TUNNEL;
        out.write(head(head, false, 0));
        out.flush();
        requests.openTunnel();
    }

    @Override
    public void tunnelOpened() {
        requests.tunnelOpened();
    }

    // ---- the end

    @Override
    public void abort() {
        keepAlive = false;
        writePending();
        requests.connection.giveUp();
        out.flush();
        boolean overloaded = exchange != null && exchange.failure() == Failure.OVERLOADED;
        if (output == Output.UNTIL_CLOSE || overloaded) {
            // the close itself would look like the response's end, or leave in the kernel what the client does not take
            requests.link.closeByReset();
        } else {
            requests.link.channel().close();
        }
    }

    @Override
    public void exchangeDone() {
        writePending();
        FrontendExchange done = exchange;
        requests.exchangeDone(this, done == null || done.isRequestEnded());
    }
}

package io.remora.http1;

import io.netty.buffer.ByteBuf;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.RequestHead;
import io.remora.http.ResponseHead;
import io.remora.http.Rule;
import io.remora.stream.BackendStream;
import io.remora.stream.StreamClient;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One request on a connection to an endpoint, and the response to it.
 *
 * <p>Owner: one connection. Spec: RFC 9112 sections 6 and 9.
 */
final class Http1BackendRequest extends BackendStream {
    /** Next part of the request for the endpoint. */
    private enum Output {
        HEAD,
        /** Content as it is, of the declared length. */
        PLAIN,
        CHUNKS,
        TUNNEL,
        NOTHING
    }

    /** Next part of the response from the endpoint. */
    private enum Input {
        /** An interim or the final response's head. */
        HEAD,
        BODY,
        TUNNEL,
        NOTHING
    }

    private final Http1BackendConnection connection;
    private final MessageWriter out;
    private final boolean reused;
    private @Nullable StreamClient client;
    private Output output = Output.HEAD;
    private Input input = Input.HEAD;
    private boolean keepAlive;
    private boolean anyByte;
    private int interims;
    /** True while the response is not read on. */
    private boolean paused;

    /** True while the rest of the response is read past, until the end of this read. */
    private boolean dropping;

    private long firstByteNs;
    private List<String> nominated = List.of();

    Http1BackendRequest(Http1BackendConnection connection, StreamClient client, boolean reused) {
        this.connection = connection;
        this.out = connection.out();
        this.client = client;
        this.reused = reused;
    }

    @Override
    public boolean isReused() {
        return reused;
    }

    // ---- the request

    @Override
    public void send(RequestHead head) {
        connection.parser().expect(head.isHead(), head.upgrade() != null);
        Fields fields = head.fields;
        if (!fields.contains(FieldName.HOST)) {
            // versions that name the authority apart from the fields need none
            fields.set(FieldName.HOST, head.sentAuthority());
        }
        HopByHop.add(head);
        head.stateNoContent();
        long length = head.bodyLength();
        if (length == BodyLength.UNKNOWN) {
            output = Output.CHUNKS;
        } else {
            output = length == BodyLength.NONE ? Output.NOTHING : Output.PLAIN;
        }
        out.write(connection
                .shared()
                .heads()
                .request(out.allocator(), head.method, head.sentTarget(), fields, output == Output.CHUNKS));
        if (output == Output.NOTHING) {
            awaitResponse();
        }
    }

    private void awaitResponse() {
        connection.deadline().set(connection.shared().config().responseHeaderNs());
    }

    @Override
    public void content(ByteBuf content) {
        switch (output) {
            case PLAIN, TUNNEL -> out.write(content);
            case CHUNKS -> out.writeChunk(content);
            case HEAD, NOTHING -> content.release();
        }
    }

    @Override
    public void end(@Nullable Fields trailers) {
        Output ended = output;
        output = Output.NOTHING;
        if (ended == Output.TUNNEL) {
            connection.link().shutdownOutputBehindWrites(false);
            return;
        }
        if (ended == Output.CHUNKS) {
            out.writeLastChunk(trailers);
        }
        if (input == Input.HEAD) {
            awaitResponse();
        }
    }

    @Override
    public void flush() {
        out.flush();
    }

    @Override
    public void bound(int bytes) {
        connection.link().bound(bytes, connection.shared().loop().memory());
    }

    @Override
    public boolean isWritable() {
        return out.isWritable();
    }

    private boolean isSending() {
        return output == Output.PLAIN || output == Output.CHUNKS;
    }

    void writabilityChanged(boolean writable) {
        StreamClient told = client;
        if (told == null) {
            return;
        }
        if (input != Input.TUNNEL) {
            if (!writable) {
                connection.deadline().set(told.bodyIdleNs());
            } else if (input == Input.BODY && !paused) {
                awaitContent(told);
            } else if (isSending()) {
                connection.deadline().clear();
            }
        }
        told.writable(writable);
    }

    /** The endpoint takes no more; what is read next tells whether it has answered or is gone. */
    void outputBroken() {
        StreamClient told = client;
        if (told != null && isSending()) {
            connection.deadline().set(told.bodyIdleNs());
        }
    }

    // ---- the response

    /** Takes this response's octets; returns whether there were no others. The caller releases {@code bytes}. */
    boolean read(ByteBuf bytes) {
        while (bytes.isReadable() && client != null) {
            anyByte = true;
            switch (input) {
                case HEAD -> readHead(bytes, client);
                case BODY -> {
                    if (readBody(bytes, client)) {
                        return true;
                    }
                }
                case TUNNEL -> {
                    client.content(bytes.readRetainedSlice(bytes.readableBytes()));
                }
                case NOTHING -> {
                    return false;
                }
            }
        }
        return !dropping || readPast(bytes);
    }

    private boolean readPast(ByteBuf bytes) {
        if (!connection.body().readPast(bytes)) {
            dropped(false);
            return true;
        }
        // the end of this read tells whether something stands behind it
        return !bytes.isReadable();
    }

    private void dropped(boolean reusable) {
        dropping = false;
        connection.streamEnded(reusable);
    }

    private void readHead(ByteBuf bytes, StreamClient to) {
        ResponseParser parser = connection.parser();
        if (firstByteNs == 0) {
            firstByteNs = connection.shared().loop().readyNs();
        }
        switch (parser.parse(bytes)) {
            case MORE -> {}
            case REFUSED -> fail(parser.failure(), parser.rule());
            case DONE -> head(parser, to);
        }
    }

    private void head(ResponseParser parser, StreamClient to) {
        ResponseHead head = new ResponseHead(parser.status(), parser.reason(), parser.fields(), parser.bodyLength());
        long readyNs = firstByteNs;
        boolean chunked = parser.isChunked();
        int blockOctets = parser.blockOctets();
        int options = parser.connectionOptions();
        if (head.isInterim() && ++interims > MAX_INTERIM) {
            fail(Failure.BAD_RESPONSE, Rule.TOO_MANY_INTERIMS);
            return;
        }
        if (head.isInterim()) {
            // the next one's first bytes count again
            firstByteNs = 0;
        } else {
            keepAlive = parser.isKeptAlive();
            connection.body().begin(head.bodyLength(), chunked, blockOctets);
            input = Input.BODY;
            awaitContent(to);
        }
        parser.reset();
        nominated = HopByHop.strip(head, options);
        to.response(head, readyNs);
        if (input == Input.BODY && connection.body().isEnded() && client != null) {
            end();
        }
    }

    // tells whether the buffer has been handed on whole
    @SuppressWarnings("ReferenceEquality") // the same buffer, not one with the same octets
    private boolean readBody(ByteBuf bytes, StreamClient to) {
        BodyReader body = connection.body();
        ByteBuf content = body.read(bytes);
        boolean whole = content == bytes;
        if (content != null) {
            awaitContent(to);
            to.content(whole ? content.retain() : content);
        }
        if (body.failure() != null) {
            fail(Failure.BAD_RESPONSE, body.rule());
        } else if (body.isEnded() && client != null) {
            end();
        }
        return whole;
    }

    private void end() {
        StreamClient told = client;
        input = Input.NOTHING;
        connection.deadline().clear();
        if (told != null) {
            Fields trailers = connection.body().takeTrailers();
            if (trailers != null) {
                HopByHop.stripTrailers(trailers, nominated);
            }
            told.end(trailers);
        }
    }

    void readComplete() {
        StreamClient told = client;
        if (!connection.holdUnfinished() && told != null && !told.makeRoom()) {
            fail(Failure.OVERLOADED);
        } else if (told != null) {
            told.readComplete();
        } else if (dropping) {
            // a rest that is still to come would hold a place in the pool that the next attempt may need
            dropped(connection.body().isEnded() && !connection.link().hasUnsent());
        }
    }

    @Override
    public void read(boolean wanted) {
        connection.readOn(wanted);
        boolean resumes = wanted && paused;
        paused = !wanted;
        StreamClient told = client;
        boolean waits = input == Input.BODY || input == Input.HEAD && output == Output.NOTHING;
        if (told == null || !waits) {
            return;
        }
        // where the response is not read on, the wait is for the client
        if (!wanted) {
            connection.deadline().clear();
        } else if (input == Input.BODY) {
            awaitContent(told);
        } else if (resumes) {
            awaitResponse();
        }
    }

    // shorter where the endpoint takes nothing of the request: that is no silence
    private void awaitContent(StreamClient told) {
        connection.deadline().set(out.isWritable() ? told.silenceNs() : told.bodyIdleNs());
    }

    @Override
    public void openTunnel() {
        input = Input.TUNNEL;
        output = Output.TUNNEL;
        connection.openTunnel();
    }

    /** The endpoint has ended its side of a tunnel. */
    void inputEnded() {
        if (client != null && input == Input.TUNNEL) {
            input = Input.NOTHING;
            client.end(null);
        }
    }

    // ---- the end

    /**
     * The connection is closed.
     *
     * @param outputBroken whether the endpoint had stopped taking the request: a further read takes the reset that
     *     broke the output for an end
     */
    void closed(boolean outputBroken) {
        if (client == null) {
            fail(Failure.BACKEND_CLOSED);
            return;
        }
        BodyReader body = connection.body();
        if (input == Input.BODY && body.isUntilClose() && !outputBroken && body.endOfInput()) {
            end();
            readComplete();
        }
        fail(Failure.BACKEND_CLOSED);
    }

    /** Reports a failure to the stream's client; the connection ends with it. */
    void fail(Failure failure) {
        StreamClient told = client;
        if (told != null) {
            client = null;
            connection.streamEnded(false);
            told.broken(failure, anyByte);
        } else if (dropping) {
            dropped(false);
        }
    }

    private void fail(Failure failure, @Nullable Rule rule) {
        StreamClient told = client;
        if (told != null && rule != null) {
            told.ruleBroken(rule);
        }
        fail(failure);
    }

    void onDeadline() {
        if (!out.isWritable() || input == Input.BODY) {
            fail(Failure.BACKEND_STALLED);
        } else {
            fail(Failure.RESPONSE_TIMEOUT);
        }
    }

    @Override
    public void release() {
        if (client != null) {
            client = null;
            boolean untouched = output == Output.HEAD;
            // an endpoint that answers early may not take the rest of the request, which would stand before the next
            // one
            boolean done = input == Input.NOTHING
                    && output == Output.NOTHING
                    && keepAlive
                    && !connection.link().hasUnsent();
            connection.streamEnded(untouched || done);
        }
    }

    @Override
    public void drop() {
        if (client != null) {
            boolean whole = input == Input.BODY && output == Output.NOTHING;
            client = null;
            if (whole && keepAlive && !connection.body().isUntilClose()) {
                dropping = true;
            } else {
                connection.streamEnded(false);
            }
        }
    }

    @Override
    public void reset() {
        if (client != null) {
            client = null;
            connection.streamEnded(false);
        }
    }
}

package io.remora.finagle;

import com.twitter.finagle.CancelledRequestException;
import com.twitter.finagle.http.Chunk;
import com.twitter.finagle.http.Response;
import com.twitter.io.Buf;
import com.twitter.io.Reader;
import com.twitter.util.Future;
import com.twitter.util.FutureEventListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.RequestHead;
import io.remora.http.ResponseHead;
import io.remora.stream.BackendStream;
import io.remora.stream.StreamClient;
import io.remora.transport.Deadline;
import io.remora.transport.Loop;
import org.jspecify.annotations.Nullable;
import scala.Option;

/**
 * One attempt as a call of Finagle's service: what the exchange sends becomes a request, and the response what it hears.
 *
 * <p>The call begins with the first flush, so that a short body is sent with its head.
 *
 * <p>Owner: the exchange's event loop. Bounds: content that waits for the endpoint, the cluster's buffer; of a response one piece,
 * and what the connection has read.
 */
final class FinagleStream extends BackendStream implements Deadline.Expirable {
    private static final String TRAILERS = "trailers";

    private final LoopClient cluster;
    private final Loop loop;
    private final Deadline deadline;
    private final int bufferBytes;
    private final RequestBody body = new RequestBody(this);
    private @Nullable StreamClient client;
    private Picked picked;
    private @Nullable RequestHead head;
    private @Nullable Future<Response> call;
    private @Nullable Reader<Chunk> response;
    private boolean full;
    private boolean anyByte;
    /** Whether the response is to be read on. */
    private boolean reading = true;
    /** Whether a read of the response is under way. */
    private boolean asked;

    FinagleStream(LoopClient cluster, StreamClient client, Picked picked) {
        this.cluster = cluster;
        this.loop = cluster.loop();
        this.client = client;
        this.picked = picked;
        this.bufferBytes = cluster.config().bufferBytes();
        this.deadline = loop.deadlines().add(this);
    }

    /** Finagle sends again what may be sent again. */
    @Override
    public boolean isReused() {
        return false;
    }

    // ---- the request

    @Override
    public void send(RequestHead request) {
        Fields fields = request.fields;
        if (!fields.contains(FieldName.HOST)) {
            fields.set(FieldName.HOST, request.authority);
        }
        // an upgrade is not offered: the response to it would be no message
        if (request.upgrade() == null && request.takesTrailers()) {
            fields.set(FieldName.TE, TRAILERS);
            fields.set(FieldName.CONNECTION, "TE");
        }
        head = request;
        if (request.bodyLength() == BodyLength.NONE) {
            body.end(null);
        }
    }

    @Override
    public void content(ByteBuf content) {
        // Finagle's buffers belong to nobody, so that the octets leave the one that is counted
        body.add(ByteBufUtil.getBytes(content));
        content.release();
        if (!isWritable() && !full) {
            full = true;
            deadline.set(bodyIdleNs());
        }
    }

    @Override
    public void end(@Nullable Fields trailers) {
        body.end(trailers);
        if (call != null && !anyByte) {
            awaitResponse();
        }
    }

    private void awaitResponse() {
        deadline.set(cluster.config().responseHeaderNs());
    }

    private long bodyIdleNs() {
        return client == null ? cluster.config().responseHeaderNs() : client.bodyIdleNs();
    }

    @Override
    public void flush() {
        RequestHead sent = head;
        if (call != null || sent == null || client == null) {
            return;
        }
        ExchangeRequest request = new ExchangeRequest(sent, body, this);
        byte[] whole = sent.bodyLength() == BodyLength.UNKNOWN ? null : body.takeWhole();
        request.setChunked(whole == null);
        if (whole != null && whole.length > 0) {
            request.content_$eq(Bytes.of(whole));
        }
        if (body.isEnded()) {
            awaitResponse();
        }
        Future<Response> begun = cluster.service().apply(request);
        call = begun;
        begun.addEventListener(new FutureEventListener<Response>() {
            @Override
            public void onSuccess(Response value) {
                loop.execute(() -> answered(value));
            }

            @Override
            public void onFailure(Throwable cause) {
                loop.execute(() -> failed(cause));
            }
        });
    }

    @Override
    public boolean isWritable() {
        return body.octets() < bufferBytes;
    }

    /** Finagle has picked an endpoint, perhaps another one than before. */
    void goesTo(Picked endpoint) {
        StreamClient told = client;
        if (told != null) {
            picked = endpoint.forOne();
            told.picked(picked);
        }
    }

    /** A piece of the request's body is on its way to the endpoint. */
    void bodyRead() {
        if (full && body.octets() <= bufferBytes / 2) {
            full = false;
            if (body.isEnded() && !anyByte) {
                awaitResponse();
            } else {
                deadline.clear();
            }
            // not within the read, which is about to hand on what comes before
            loop.eventLoop().execute(() -> {
                StreamClient told = client;
                if (told != null) {
                    told.writable(true);
                }
            });
        }
    }

    // ---- the response

    /** An interim response has come on the connection that carries the request. */
    void interim(ResponseHead interim, long readyNs) {
        StreamClient told = client;
        if (told != null) {
            told.response(interim, readyNs);
            told.readComplete();
        }
    }

    private void answered(Response value) {
        StreamClient told = client;
        if (told == null) {
            value.reader().discard();
            return;
        }
        anyByte = true;
        boolean toHead = head != null && head.isHead();
        ResponseHead received = headOf(value, toHead);
        response = value.isChunked() ? value.chunkReader() : null;
        deadline.set(told.bodyIdleNs());
        told.response(received, value instanceof EndpointResponse own ? own.readyNs() : loop.readyNs());
        if (client == null) {
            return;
        }
        if (value.isChunked()) {
            readOn();
            return;
        }
        Buf content = value.content();
        if (!content.isEmpty()) {
            told.content(wrapped(content));
        }
        ended(null);
    }

    private static ResponseHead headOf(Response value, boolean toHead) {
        if (value instanceof EndpointResponse own && own.isAsReceived()) {
            // the head's own lines
            own.fields();
            return own.head();
        }
        Fields fields = HeaderView.of(value.headerMap());
        int status = value.status().code();
        String declared = fields.get(FieldName.CONTENT_LENGTH);
        long length = toHead || ResponseHead.neverHasBody(status)
                ? BodyLength.NONE
                : declared == null ? BodyLength.UNKNOWN : Long.parseLong(declared);
        return new ResponseHead(status, null, fields, length);
    }

    private static ByteBuf wrapped(Buf content) {
        return Unpooled.wrappedBuffer(Bytes.in(content));
    }

    private void readOn() {
        Reader<Chunk> from = response;
        if (from == null || asked || !reading || client == null) {
            return;
        }
        asked = true;
        from.read().addEventListener(new FutureEventListener<Option<Chunk>>() {
            @Override
            public void onSuccess(Option<Chunk> value) {
                loop.execute(() -> chunk(value));
            }

            @Override
            public void onFailure(Throwable cause) {
                loop.execute(() -> failed(cause));
            }
        });
    }

    private void chunk(Option<Chunk> read) {
        asked = false;
        StreamClient told = client;
        if (told == null) {
            return;
        }
        if (read.isEmpty()) {
            ended(null);
            return;
        }
        Chunk chunk = read.get();
        if (!chunk.content().isEmpty()) {
            deadline.set(told.bodyIdleNs());
            told.content(wrapped(chunk.content()));
        }
        if (chunk.isLast()) {
            endedBy(chunk);
        } else if (client != null) {
            told.readComplete();
            readOn();
        }
    }

    // the reader tells of the end once more, and gives the connection back then
    private void endedBy(Chunk last) {
        Reader<Chunk> from = response;
        if (from != null) {
            from.read();
        }
        Fields trailers = Trailing.of(last);
        ended(trailers.isEmpty() ? null : trailers);
    }

    private void ended(@Nullable Fields trailers) {
        response = null;
        deadline.clear();
        StreamClient told = client;
        if (told != null) {
            told.end(trailers);
            told.readComplete();
        }
    }

    @Override
    public void read(boolean wanted) {
        reading = wanted;
        if (response == null) {
            return;
        }
        // where the body is not read on, the wait is for the client
        if (wanted) {
            deadline.set(bodyIdleNs());
            readOn();
        } else {
            deadline.clear();
        }
    }

    @Override
    public void openTunnel() {
        throw new IllegalStateException("no upgrade was offered");
    }

    // ---- the end

    private void failed(Throwable cause) {
        Failure failure = Failures.of(cause);
        Picked endpoint = Failures.endpoint(cause);
        if (endpoint != null) {
            goesTo(endpoint);
        }
        if (client != null && failure == Failure.INTERNAL) {
            loop.report("finagle's stack failed by ", cause);
        }
        broken(failure);
    }

    private void broken(Failure failure) {
        StreamClient told = client;
        if (told != null) {
            cancel(true);
            told.broken(failure, anyByte);
        }
    }

    @Override
    public void onDeadline() {
        broken(full || anyByte ? Failure.BACKEND_STALLED : Failure.RESPONSE_TIMEOUT);
    }

    @Override
    public void release() {
        if (client == null) {
            return;
        }
        if (response == null && (call == null || anyByte) && body.isEnded()) {
            leave();
        } else {
            cancel(picked.hasFailed());
        }
    }

    @Override
    public void reset() {
        if (client != null) {
            cancel(picked.hasFailed());
        }
    }

    // ends the connection, should there be one: it stands in the middle of a message; a client that left is no failure
    private void cancel(boolean counts) {
        leave();
        Throwable why = counts ? new CancelledRequestException() : cancelled();
        body.fail(why);
        Future<Response> begun = call;
        if (begun != null) {
            begun.raise(why);
        }
        Reader<Chunk> from = response;
        response = null;
        if (from != null) {
            from.discard();
        }
    }

    private static Throwable cancelled() {
        return (Throwable) (Object) com.twitter.finagle.Failure$.MODULE$.ignorable("cancelled");
    }

    private void leave() {
        client = null;
        deadline.cancel();
        cluster.ended();
    }
}

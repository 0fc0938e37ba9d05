package io.remora.finagle;

import com.twitter.finagle.CancelledRequestException;
import com.twitter.finagle.http.Response;
import com.twitter.util.Future;
import com.twitter.util.FutureEventListener;
import io.netty.buffer.ByteBuf;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.RequestHead;
import io.remora.http.ResponseHead;
import io.remora.http.Rule;
import io.remora.stream.BackendStream;
import io.remora.stream.RequestAttributes;
import io.remora.stream.StreamClient;
import io.remora.stream.Verdict;
import io.remora.transport.Deadline;
import io.remora.transport.Loop;
import org.jspecify.annotations.Nullable;

/**
 * One attempt as a call of Finagle's service: it turns the exchange's octets into a request, and the response into the
 * exchange's events.
 *
 * <p>The call begins with the first flush, so that a short body is sent with its head.
 *
 * <p>Owner: the exchange's event loop. Bounds: content that waits for the endpoint, the cluster's buffer.
 */
final class FinagleStream extends BackendStream implements Deadline.Expirable {
    private static final String TRAILERS = "trailers";

    private final LoopClient cluster;
    private final Loop loop;
    private final Deadline deadline;
    /** The bound of the octets that wait for the endpoint. */
    private int bufferBytes;

    private final FinagleRequestBody body = new FinagleRequestBody(this);
    private @Nullable StreamClient client;
    private Picked picked;
    private @Nullable RequestHead head;
    private @Nullable Future<Response> call;
    private final FinagleResponseRelay response;
    private boolean full;
    /** The connection that carries the request; null before there is one. */
    private @Nullable HttpCodec codec;
    /** The connection's verdict on the endpoint, in case Finagle or a filter sends the request again. */
    private Verdict came = Verdict.IGNORED;
    /** True if it has ended without a response. */
    private boolean lost;

    private @Nullable Tunnel tunnel;
    /** The calls of users' filters; null where there are none, and before the first. */
    private @Nullable FilterCalls filterCalls;

    /** True during the call to the client. */
    private boolean calling;
    /** The grant, once the exchange was granted less than all; 0 before. */
    private int grant;

    FinagleStream(LoopClient cluster, StreamClient client, Picked picked) {
        this.cluster = cluster;
        this.loop = cluster.loop();
        this.client = client;
        this.picked = picked;
        this.bufferBytes = cluster.config().bufferBytes();
        this.deadline = loop.deadlines().add(this);
        this.response = new FinagleResponseRelay(this, deadline);
    }

    /** Returns false: Finagle itself sends again where that is allowed. */
    @Override
    public boolean isReused() {
        return false;
    }

    // ---- the request

    @Override
    public void send(RequestHead request) {
        Fields fields = request.fields;
        if (!fields.contains(FieldName.HOST)) {
            fields.set(FieldName.HOST, request.sentAuthority());
        }
        String upgrade = request.upgrade();
        if (upgrade != null) {
            fields.set(FieldName.CONNECTION, "Upgrade");
            fields.set(FieldName.UPGRADE, upgrade);
        } else if (request.takesTrailers()) {
            fields.set(FieldName.TE, TRAILERS);
            fields.set(FieldName.CONNECTION, "TE");
        }
        request.stateNoContent();
        DtabFields.strip(fields, cluster.isNamed() && bringsDtab());
        head = request;
        if (request.bodyLength() == BodyLength.NONE) {
            body.end(null);
        }
    }

    @Override
    public void content(ByteBuf content) {
        if (tunnel != null) {
            tunnel.write(content);
            return;
        }
        body.add(content);
        if (!isWritable() && !full) {
            full = true;
            deadline.set(bodyIdleNs());
        }
    }

    @Override
    public void end(@Nullable Fields trailers) {
        if (tunnel != null) {
            tunnel.endOutput();
            return;
        }
        if (trailers != null) {
            DtabFields.strip(trailers, false);
        }
        body.end(trailers);
        if (call != null && !response.hasBegun()) {
            awaitResponse();
        }
    }

    private void awaitResponse() {
        deadline.set(cluster.config().responseHeaderNs());
    }

    /** The wait for content is shorter where the endpoint takes nothing of the request: that is no silence. */
    void awaitContent() {
        StreamClient told = client;
        deadline.set(told == null || full ? bodyIdleNs() : told.silenceNs());
    }

    private long bodyIdleNs() {
        return client == null ? cluster.config().responseHeaderNs() : client.bodyIdleNs();
    }

    @Override
    public void flush() {
        if (tunnel != null) {
            tunnel.flush();
        }
        RequestHead sent = head;
        if (call != null || sent == null || client == null) {
            return;
        }
        boolean whole = sent.bodyLength() != BodyLength.UNKNOWN && body.isWhole();
        ExchangeRequest request = new ExchangeRequest(sent, body, this, whole ? body.takeWhole() : null, !whole);
        if (body.isEnded()) {
            awaitResponse();
        }
        calling = true;
        Future<Response> begun = cluster.service().apply(request);
        call = begun;
        begun.addEventListener(new FutureEventListener<Response>() {
            @Override
            public void onSuccess(Response value) {
                later(() -> response.answered(value, sent.isHead()));
            }

            @Override
            public void onFailure(Throwable cause) {
                later(() -> failed(cause));
            }
        });
        calling = false;
    }

    // a filter may answer within the call, which is within the exchange's flush
    private void later(Runnable what) {
        if (calling) {
            loop.eventLoop().execute(what);
        } else {
            loop.execute(what);
        }
    }

    Loop loop() {
        return loop;
    }

    private boolean bringsDtab() {
        RequestAttributes known = attributes();
        return known != null && known.requestDtab() != null;
    }

    /** The properties of its request; null once the exchange has ended. */
    @Nullable
    RequestAttributes attributes() {
        StreamClient told = client;
        return told == null ? null : told.attributes();
    }

    /** Returns the calls of users' filters, where there are filters. */
    FilterCalls filterCalls() {
        if (filterCalls == null) {
            filterCalls = new FilterCalls(this);
        }
        return filterCalls;
    }

    @Override
    public boolean isDispatched() {
        return codec != null;
    }

    @Override
    public void bound(int bytes) {
        grant = bytes;
        bufferBytes = Math.min(cluster.config().bufferBytes(), loop.memory().queued(bytes));
        if (codec != null) {
            codec.bound(bytes);
        }
    }

    @Override
    public boolean isWritable() {
        return tunnel != null ? tunnel.isWritable() : body.octets() < bufferBytes;
    }

    /** Finagle has picked an endpoint, perhaps another one than before. */
    void goesTo(Picked endpoint) {
        StreamClient told = client;
        if (told != null) {
            picked = endpoint.forOne();
            told.picked(picked);
        }
    }

    /** Takes the connection for the request, which writes the request's head. */
    void goesOver(HttpCodec connection, Picked endpoint) {
        codec = connection;
        came = Verdict.IGNORED;
        lost = false;
        if (grant > 0) {
            connection.bound(grant);
        }
        connection.readOn(response.isReading());
        goesTo(endpoint);
    }

    /**
     * A connection has ended before its response began.
     *
     * @param stale whether it was at rest, as it seems, which says nothing of the endpoint
     */
    void lost(HttpCodec connection, boolean stale) {
        if (connection == codec) {
            lost = true;
            came = stale ? Verdict.IGNORED : Verdict.FAILURE;
        }
    }

    /** A final response has begun on a connection; a filter may send the request once more all the same. */
    void answers(HttpCodec connection, int status) {
        StreamClient told = client;
        if (connection == codec && told != null) {
            came = told.verdictOf(status);
        }
    }

    /** The request is given to the balancer once more; tells whether a connection that had taken it was lost. */
    boolean repeats() {
        boolean written = codec != null;
        codec = null;
        StreamClient told = client;
        if (told != null) {
            if (written) {
                picked.ended(came, 0);
                picked = new Picked(cluster.config().name(), null);
                told.picked(picked);
            }
            told.repeated(written);
        }
        return written && lost;
    }

    /** Notes that the endpoint takes no more of the request; the next read tells whether it has answered or is gone. */
    void outputBroken() {
        if (client != null && !body.isEnded()) {
            deadline.set(bodyIdleNs());
        }
    }

    /** A piece of the request's body is on its way to the endpoint. */
    void bodyRead() {
        if (full && body.octets() <= bufferBytes / 2) {
            full = false;
            if (body.isEnded() && !response.hasBegun()) {
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

    /** The endpoint's response breaks this rule. */
    void ruleBroken(Rule rule) {
        StreamClient told = client;
        if (told != null) {
            told.ruleBroken(rule);
        }
    }

    /** An interim response has come on the connection that carries the request. */
    void interim(ResponseHead interim, long readyNs) {
        StreamClient told = client;
        if (told != null) {
            told.response(interim, readyNs);
            told.readComplete();
        }
    }

    @Override
    public void read(boolean wanted) {
        response.reading(wanted);
        if (tunnel != null) {
            tunnel.readOn(wanted);
            return;
        }
        if (!response.isOpen()) {
            if (codec != null) {
                codec.readOn(wanted);
            }
            return;
        }
        // where the body is not read on, the wait is for the client
        if (wanted) {
            awaitContent();
            response.readOn();
        } else {
            deadline.clear();
        }
    }

    @Override
    public void openTunnel() {
        deadline.clear();
        if (codec != null) {
            tunnel = codec.openTunnel(this);
        }
    }

    /** Returns the client that receives the response; null once the exchange has ended. */
    @Nullable
    StreamClient client() {
        return client;
    }

    boolean isGone() {
        return client == null;
    }

    /** The endpoint's side of a tunnel is gone. */
    void tunnelClosed() {
        broken(Failure.BACKEND_CLOSED);
    }

    // ---- the end

    void failed(Throwable cause) {
        boolean filters = cluster.hasFilters() && (filterCalls == null || !filterCalls.hasFailed());
        Failure failure = filters ? Failures.ofFilter(cause) : Failures.of(cause);
        Picked endpoint = Failures.endpoint(cause);
        if (endpoint != null) {
            goesTo(endpoint);
        }
        if (client != null && failure == Failure.INTERNAL) {
            loop.report(filters ? "a filter failed by " : "finagle's stack failed by ", cause);
        }
        broken(failure);
    }

    private void broken(Failure failure) {
        StreamClient told = client;
        if (told != null) {
            cancel(true);
            told.broken(failure, response.hasBegun());
        }
    }

    @Override
    public void onDeadline() {
        broken(full || response.hasBegun() ? Failure.BACKEND_STALLED : Failure.RESPONSE_TIMEOUT);
    }

    @Override
    public void release() {
        if (client == null) {
            return;
        }
        if (tunnel == null && !response.isOpen() && (call == null || response.hasBegun()) && body.isEnded()) {
            leave(cancelled());
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
        Throwable why = counts ? new CancelledRequestException() : cancelled();
        leave(why);
        if (tunnel != null) {
            // what was sent last still reaches the endpoint
            tunnel.close();
            response.tunnelEnded();
            return;
        }
        Future<Response> begun = call;
        if (begun != null) {
            begun.raise(why);
        }
        response.discard();
    }

    private static Throwable cancelled() {
        return (Throwable) (Object) com.twitter.finagle.Failure$.MODULE$.ignorable("cancelled");
    }

    private void leave(Throwable why) {
        client = null;
        deadline.cancel();
        body.fail(why);
        if (filterCalls != null) {
            filterCalls.end(why, response.given());
        }
        if (codec != null) {
            codec.leave(this);
        }
        cluster.ended(response.hasBegun());
    }
}

package io.remora.exchange;

import io.netty.buffer.ByteBuf;
import io.remora.config.RouteConfig;
import io.remora.engine.Cluster;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.RequestHead;
import io.remora.http.ResponseHead;
import io.remora.http.Trailers;
import io.remora.memory.LoopBudget;
import io.remora.metrics.ListenerMetric;
import io.remora.stream.BackendStream;
import org.jspecify.annotations.Nullable;

/**
 * One request with its response: passes the listener's stages, has attempts made, relays content both ways, and responds
 * where it fails.
 *
 * <p>Owner: one event loop, that of its frontend and of all its attempts.
 */
public final class Exchange {
    private final ListenerLoop listener;
    private final ListenerSnapshot snapshot;
    private final Frontend frontend;
    private final RequestHead head;
    private final Timing timing;
    private final Outcome outcome;
    private final RequestBody body;
    private final ResponseRelay response;
    private final Filters filters = new Filters();
    private final Retries retries = new Retries();
    private @Nullable Attempt attempt;
    private int attempts;
    private int nextStage;
    /** Inside {@link #start}: the frontend flushes at the end of its read, head and body together. */
    private boolean starting;

    /** What each of its buffers may hold, as it was admitted; 0 before that. */
    private int grant;
    /** What they may hold now. */
    private int bound;

    private int headOctets;
    private boolean tunnel;
    private boolean finished;

    /**
     * @param startedNs when the request's first bytes were readable
     * @param readyNs when the bytes that completed its head were readable
     * @param carriedNs spent in the proxy on reads before that one
     */
    public Exchange(
            ListenerLoop listener, Frontend frontend, RequestHead head, long startedNs, long readyNs, long carriedNs) {
        this.listener = listener;
        this.snapshot = listener.snapshot();
        this.frontend = frontend;
        this.head = head;
        this.timing = new Timing(startedNs, readyNs, carriedNs);
        this.body =
                new RequestBody(head.bodyLength(), snapshot.config().limits().bodyBytes());
        this.outcome = new Outcome(listener, snapshot, frontend, head);
        this.response = new ResponseRelay(listener, frontend, filters, timing, outcome);
        listener.stats().increment(ListenerMetric.EXCHANGES_STARTED);
        listener.admission().enter();
    }

    /** Takes the request as far as it goes now; the body follows through {@link #requestContent}. */
    public void start() {
        starting = true;
        passStages();
        starting = false;
    }

    /** Answers a request that could not be read. */
    public void refuse(Failure failure) {
        fail(failure);
    }

    // ---- memory

    /**
     * Asks for the memory that it may take.
     *
     * @return whether there is any
     */
    public boolean takeGrant() {
        headOctets = head.fields.capacity();
        grant = listener.loop().memory().grant(headOctets);
        if (grant > 0) {
            bound(grant);
        }
        return grant > 0;
    }

    private void bound(int bytes) {
        bound = bytes;
        frontend.bound(bytes);
        BackendStream to = stream();
        if (to != null) {
            to.bound(bytes);
        }
    }

    /**
     * Holds the least from now on. What it was granted beyond that is given back where it has not been made use of.
     *
     * @param greedy whether to do so where it has
     */
    public void shrink(boolean greedy) {
        if (grant == 0 || finished) {
            return;
        }
        boolean unused = moved() <= LoopBudget.LEAST;
        if (bound > LoopBudget.LEAST && (unused || greedy)) {
            bound(LoopBudget.LEAST);
        }
        if (grant > LoopBudget.LEAST && unused) {
            listener.loop().memory().shrink(grant);
            grant = LoopBudget.LEAST;
        }
    }

    /** Holds again what may be held now that there is room. */
    public void grow() {
        if (grant > 0 && !finished) {
            int more = listener.loop().memory().regrant(grant);
            grant = more;
            if (more > bound) {
                bound(more);
            }
        }
    }

    /** What its buffers may come to, in bytes. */
    public long reservedBytes() {
        return grant == 0 ? 0 : listener.loop().memory().reserved(grant);
    }

    /** Bytes of content that were relayed so far, in both directions. */
    public long moved() {
        return body.bytes() + outcome.responseBytes();
    }

    private void giveBackGrant() {
        int granted = grant;
        grant = 0;
        if (granted > 0) {
            if (frontend.keeps(granted)) {
                listener.loop().memory().hold(-headOctets);
            } else {
                listener.loop().memory().giveBack(granted, headOctets);
            }
        }
    }

    // ---- what stages and filters ask and do

    public RequestHead head() {
        return head;
    }

    public ListenerLoop listener() {
        return listener;
    }

    /** What this exchange goes by, whatever the configuration has become since it began. */
    public ListenerSnapshot snapshot() {
        return snapshot;
    }

    /** Address of the client without brackets or port: of the peer, or of whom believed hops name. */
    public String client() {
        return outcome.client();
    }

    /** The client is somebody behind the peer. */
    public void client(String address) {
        outcome.client(address);
    }

    /** Address of the other end of the connection, without brackets or port. */
    public String peer() {
        return frontend.client();
    }

    /** Who the peer has proved to be, null for nobody. */
    public @Nullable String identity() {
        return frontend.identity();
    }

    /** The peer's certificate as X-Forwarded-Client-Cert tells it, null for none. */
    public @Nullable String forwardedCertificate() {
        return frontend.forwardedCertificate();
    }

    /** The scheme by which the client came. */
    public String scheme() {
        return frontend.scheme();
    }

    /** The request goes on to the next stage; for the stage that held it back. */
    public void resume() {
        if (!finished) {
            passStages();
        }
    }

    /** From now on {@code filter} sees what this exchange brings. */
    public void join(Filter filter) {
        filters.add(filter);
    }

    /** Which route takes the request, for the log. */
    public void route(RouteConfig taken) {
        outcome.route(taken);
    }

    public @Nullable RouteConfig route() {
        return outcome.route();
    }

    /** The id that the request has, for the log. */
    public void requestId(@Nullable String id) {
        outcome.requestId(id);
    }

    /** Whether its body is announced to be larger than {@code bytes}. */
    public boolean announcesMoreThan(long bytes) {
        return body.isAnnouncedLargerThan(bytes);
    }

    /**
     * Answers in the backend's place.
     *
     * @param text the body, null for none
     */
    public void respond(int status, Fields fields, @Nullable String text) {
        if (!finished) {
            response.own(status, fields, text, head.isHead(), !body.isEnded());
            finish();
        }
    }

    /** Has a first attempt made at {@code cluster}. */
    public void dispatch(Cluster cluster) {
        filterHeld();
        if (!finished) {
            Attempt first = newAttempt(cluster);
            if (first == attempt) {
                first.start(null);
            }
        }
    }

    // what came while a stage held the request back, for filters that have joined since
    private void filterHeld() {
        for (int left = body.held(); left > 0; left--) {
            ByteBuf content = body.poll();
            ByteBuf filtered = content == null ? null : filters.requestContent(content);
            if (filtered != null) {
                // which holds it again, behind the rest
                sendContent(filtered);
            }
        }
        if (!body.isNone() && body.isEnded()) {
            filters.requestEnd(this);
        }
    }

    private boolean isDispatched() {
        return attempts > 0;
    }

    /** How often an attempt has been made. */
    public int attempts() {
        return attempts;
    }

    /** The final response's status, 0 where none was sent. */
    public int status() {
        return outcome.status();
    }

    /** How it failed; null where it did not, or not yet. */
    public @Nullable Failure failure() {
        return outcome.failure();
    }

    private void passStages() {
        Stage[] stages = snapshot.stages();
        while (!finished && nextStage < stages.length && stages[nextStage++].pass(this)) {
            // the next one
        }
    }

    // ---- from the frontend

    /** Flushes what has been written to the backend; called where a read from the client ends. */
    public void flushRequest() {
        BackendStream to = stream();
        if (to != null) {
            to.flush();
            // the flush may have failed, and with it the exchange
            if (!timing.isDispatched() && stream() == to) {
                timing.dispatched(listener.loop().nowNs());
            }
        }
    }

    /** Takes over {@code content}. */
    public void requestContent(ByteBuf content) {
        if (finished) {
            content.release();
            return;
        }
        int length = content.readableBytes();
        listener.stats().add(ListenerMetric.REQUEST_BODY, length);
        body.count(length);
        if (!tunnel && body.isTooLarge()) {
            content.release();
            fail(Failure.BODY_TOO_LARGE);
            return;
        }
        ByteBuf filtered = isDispatched() ? filters.requestContent(content) : content;
        if (filtered != null) {
            sendContent(filtered);
        }
    }

    /** Takes over {@code content}, as the backend is to get it. */
    void sendContent(ByteBuf content) {
        if (finished) {
            // a filter has ended it
            content.release();
            return;
        }
        BackendStream to = stream();
        if (to == null) {
            body.hold(content);
            frontend.readBody(false);
            return;
        }
        body.begin();
        to.content(content);
        if (!to.isWritable()) {
            flushRequest();
            // which may have failed, and with it the exchange
            if (stream() == to) {
                frontend.readBody(to.isWritable());
            }
        }
    }

    /**
     * The request is whole, or the client's side of a tunnel has ended.
     *
     * @param trailers null or empty for none
     */
    public void requestEnd(@Nullable Fields trailers) {
        if (finished || body.isEnded() && !tunnel) {
            return;
        }
        if (isDispatched()) {
            filters.requestEnd(this);
        }
        if (trailers != null) {
            Trailers.strip(trailers);
        }
        body.end(trailers);
        BackendStream to = stream();
        if (to != null) {
            to.end(trailers);
            if (tunnel) {
                endTunnelIfOver();
            }
        }
    }

    /** How long a body, in either direction, may rest. */
    public long bodyIdleNs() {
        return snapshot.config().timeouts().bodyIdleNs();
    }

    public boolean isRequestEnded() {
        return body.isEnded();
    }

    /** Whether the connection may turn into a tunnel, so that nothing behind this request is HTTP for certain. */
    public boolean isUpgrade() {
        return head.upgrade() != null;
    }

    /** The client's side can take more again, or cannot. */
    public void frontendWritable(boolean writable) {
        BackendStream from = stream();
        if (from != null) {
            from.read(writable);
        }
    }

    // ---- from the attempt

    Timing timing() {
        return timing;
    }

    private @Nullable BackendStream stream() {
        return attempt == null ? null : attempt.stream();
    }

    private Attempt newAttempt(Cluster cluster) {
        Attempt next = new Attempt(this, cluster, ++attempts);
        attempt = next;
        filters.attempt(head, next);
        return next;
    }

    void attemptPicked(String endpoint) {
        outcome.endpoint(endpoint);
    }

    void attemptReady(BackendStream stream) {
        if (bound > 0) {
            stream.bound(bound);
        }
        stream.send(head);
        if (finished || stream() != stream) {
            return;
        }
        body.moveTo(stream);
        if (!starting) {
            flushRequest();
        }
        // else the frontend's turn is still going on, and its end flushes head and body together
        if (!finished && stream() == stream) {
            frontend.readBody(stream.isWritable());
        }
    }

    void attemptEnded(Attempt ended) {
        filters.attemptEnded(ended);
    }

    /** A response's head arrived, interim or final. */
    void response(ResponseHead responseHead, long readyNs) {
        if (responseHead.isSwitch()) {
            switchProtocols(responseHead, readyNs);
        } else if (responseHead.isInterim()) {
            response.interim(responseHead);
        } else {
            timing.responseReady(readyNs);
            response.head(responseHead, !body.isEnded());
        }
    }

    private void switchProtocols(ResponseHead responseHead, long readyNs) {
        BackendStream to = stream();
        if (to == null) {
            return;
        }
        timing.responseReady(readyNs);
        tunnel = true;
        body.reopen();
        response.switchProtocols(responseHead);
        timing.responded(listener.loop().nowNs());
        // what either side has sent behind its last message comes at once, and each must know the other by then
        to.openTunnel();
        if (!finished) {
            frontend.tunnelOpened();
        }
    }

    void responseContent(ByteBuf content) {
        response.content(content);
        if (!frontend.isWritable()) {
            response.flush();
            frontendWritable(frontend.isWritable());
        }
    }

    void responseEnd(@Nullable Fields trailers) {
        response.end(trailers);
        if (tunnel) {
            endTunnelIfOver();
        }
    }

    /** A read from the backend is over: flushes what it brought and finishes the exchange where that was all. */
    void responseReadComplete() {
        if (!response.hasBegun()) {
            return;
        }
        response.flush();
        if (response.isEnded() && !finished && !tunnel) {
            giveBack();
            finish();
        }
    }

    void backendWritable(boolean writable) {
        frontend.readBody(writable);
    }

    /** An attempt came to nothing. */
    void attemptFailed(Attempt failed, Failure failure, boolean anyByte) {
        if (finished || failed != attempt) {
            return;
        }
        if (tunnel) {
            endTunnel();
            return;
        }
        boolean unanswered = !anyByte && !response.hasBegun();
        Retries.Next next = retries.after(failed, failure, head, unanswered, body);
        if (next == Retries.Next.NONE) {
            fail(failure);
            return;
        }
        boolean elsewhere = next == Retries.Next.OTHER_ENDPOINT;
        listener.stats().increment(elsewhere ? ListenerMetric.REPICKS : ListenerMetric.RETRIES);
        timing.undoDispatch(listener.loop().readyNs());
        failed.reset(failure);
        Attempt following = newAttempt(failed.cluster());
        if (following != attempt) {
            return;
        }
        if (elsewhere) {
            following.start(failed.target());
        } else {
            following.startAgain(failed);
        }
    }

    // ---- a tunnel

    /** Nothing has moved in a tunnel for too long. */
    public void tunnelIdle() {
        if (tunnel && !finished) {
            endTunnel();
        }
    }

    /** Whether both sides speak raw by now. */
    public boolean isTunnel() {
        return tunnel;
    }

    private void endTunnelIfOver() {
        if (body.isEnded() && response.isEnded() && !finished) {
            endTunnel();
        }
    }

    // no failure: who closes a tunnel says that it is over
    private void endTunnel() {
        Attempt current = attempt;
        attempt = null;
        if (current != null) {
            current.release();
        }
        finish();
    }

    // ---- the end

    /** Ends an exchange that cannot go on: with a response where none has begun, with a cut where one has. */
    public void fail(Failure failure) {
        if (finished) {
            return;
        }
        if (tunnel && failure.withoutResponse()) {
            endTunnel();
            return;
        }
        outcome.failure(failure);
        Attempt current = attempt;
        attempt = null;
        if (current != null) {
            current.reset(failure);
        }
        try {
            if (response.hasBegun() || failure.withoutResponse()) {
                frontend.abort();
            } else {
                response.failure(failure, head.isHead(), failure.closesFrontend() || !body.isEnded());
            }
        } finally {
            // whatever became of the response, the exchange must not stay in flight
            finish();
        }
    }

    // gives the stream back; a response before the end of its request leaves it in the middle of a message
    private void giveBack() {
        Attempt current = attempt;
        attempt = null;
        if (current == null) {
            return;
        }
        if (body.isEnded()) {
            current.release();
        } else {
            current.reset(null);
        }
    }

    private void finish() {
        if (finished) {
            // what a failing write reports may have come back here already
            return;
        }
        finished = true;
        body.release();
        listener.admission().leave();
        timing.ended(listener.loop().nowNs());
        filters.ended(this);
        outcome.report(timing, body.bytes());
        giveBackGrant();
        frontend.exchangeDone();
    }
}

package io.remora.http2;

import io.netty.util.AsciiString;
import io.remora.config.model.Limits;
import io.remora.http.Failure;
import io.remora.http.Rule;
import io.remora.metrics.BackendHttp2Stats;
import io.remora.pool.Connection;
import io.remora.pool.EndpointPool;
import io.remora.stream.BackendStream;
import io.remora.stream.StreamClient;
import io.remora.transport.Deadline;
import io.remora.transport.Link;
import java.io.IOException;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP/2 connection to an endpoint, as its pool sees it: many streams at a time.
 *
 * <p>Owner: its pool's event loop. Bounds: the streams that the cluster's configuration and the endpoint's settings allow.
 *
 * <p>Spec: RFC 9113 sections 5.1.2, 6.8 and 9.1.
 */
final class Http2BackendConnection extends Connection implements Deadline.Expirable {
    /** Time for a GOAWAY to leave before the connection is cut. */
    private static final long GOODBYE_NS = 1_000_000_000L;
    /** Half of the numbers there are; the odd ones are ours. */
    private static final int MOST_STREAMS = 1 << 29;

    private static final Http2BackendRequest[] NONE = {};

    /** State of the connection; it only ever moves on. */
    private enum Life {
        /** Takes streams, as far as its pool knows. */
        OPEN,
        /** No further stream; the last one's end is the connection's. */
        AWAY,
        /**
         * No further stream, as the endpoint has passed a bound of {@link BackendFloods}: those under way have a while
         * to end.
         */
        FLOODED,
        /** A rule was broken, and GOAWAY is on its way. */
        ENDING,
        CLOSED
    }

    private final Http2BackendProtocol shared;
    private final EndpointPool pool;
    private final Link link;
    private final BackendCodec codec;
    private final Deadline deadline;
    private final AsciiString scheme;
    /** Time from which it carries no further stream. */
    private final long endsNs;

    /** Requests that have been sent, by their numbers. */
    private final StreamTable<Http2BackendRequest> streams = new StreamTable<>();
    /** Requests that learn of the end of this read. */
    private final ArrayDeque<Http2BackendRequest> touched = new ArrayDeque<>(4);

    /** Created for the first tunnel that lingers. */
    private @Nullable LingeringTunnels lingering;

    private int live;
    private int begun;
    /** The most that one of the streams which share its buffers was granted. */
    private int bound;

    private Life life = Life.OPEN;
    private final SilenceWatch watch;

    Http2BackendConnection(Http2BackendProtocol shared, Link link, BackendCodec codec, EndpointPool pool) {
        this.shared = shared;
        this.pool = pool;
        this.link = link;
        this.codec = codec;
        this.deadline = shared.loop().deadlines().add(this);
        this.scheme = AsciiString.of(link.scheme());
        this.endsNs = shared.endsNs();
        this.watch = new SilenceWatch(shared.keepAliveNs(), shared.loop().readyNs());
    }

    // ---- the pool

    @Override
    protected int maxStreams() {
        return isOpen() && begun < MOST_STREAMS ? codec.maxStreams() : 0;
    }

    private boolean isOpen() {
        return life == Life.OPEN && link.channel().isActive();
    }

    private boolean isBefore(Life other) {
        return life.compareTo(other) < 0;
    }

    private void moveOn(Life next) {
        if (isBefore(next)) {
            life = next;
        }
    }

    // a GOAWAY or an end that arrived in this turn of the loop may not have been read yet
    @Override
    protected boolean isFit() {
        if (!isOpen() || shared.isOver(endsNs)) {
            return false;
        }
        if (live == 0 && !codec.isReading()) {
            link.readNow();
        }
        return isOpen();
    }

    @Override
    protected BackendStream newStream(StreamClient client) {
        if (live++ == 0) {
            bound = 0;
            awaitSilence();
        }
        codec.stats().begun();
        return new Http2BackendRequest(this, client, begun++ > 0);
    }

    @Override
    protected void onIdle() {
        deadline.set(shared.restNs(endsNs));
    }

    @Override
    public void close() {
        moveOn(Life.AWAY);
        if (live == 0 && isBefore(Life.ENDING)) {
            codec.goAway(ErrorCode.NO_ERROR);
            link.channel().close();
        }
    }

    // ---- what streams want

    Http2BackendProtocol shared() {
        return shared;
    }

    BackendCodec codec() {
        return codec;
    }

    Link link() {
        return link;
    }

    AsciiString scheme() {
        return scheme;
    }

    /** Returns a number for a stream that is about to be sent; 0 where the endpoint would ignore it. */
    int number(Http2BackendRequest request) {
        int number = life != Life.OPEN ? 0 : codec.nextStream();
        if (number > 0) {
            streams.put(number, request);
        } else if (live <= codec.maxStreams()) {
            // within the bound it has none for anybody: who waits would be refused one after the other
            moveOn(Life.AWAY);
        }
        return number;
    }

    /** Bounds the buffers by the largest grant of the streams that share them. */
    void bound(int bytes) {
        // one that is alone may shrink
        if (live == 1 || bytes > bound) {
            bound = bytes;
            link.bound(bytes, shared.loop().memory());
        }
    }

    void lingers(Http2BackendRequest request) {
        if (lingering == null) {
            lingering = new LingeringTunnels();
        }
        lingering.add(request);
    }

    void touched(Http2BackendRequest request) {
        touched.add(request);
    }

    /** Ends a stream, and returns its place to the pool. */
    void ended(int number) {
        if (number > 0) {
            streams.remove(number);
        }
        if (--live == 0 && isBefore(Life.ENDING)) {
            deadline.clear();
        }
        pool.streamEnded(this, isOpen() && !shared.isOver(endsNs));
    }

    /** Takes no further stream; those under way go on. */
    void givesUp() {
        moveOn(Life.AWAY);
    }

    /**
     * A stream was waited for in vain. Where nothing at all has come since, the endpoint may not even be there any more.
     */
    void waited(long sinceNs) {
        if (watch.heardNs() - sinceNs <= 0 && isOpen()) {
            codec.stats().ended(BackendHttp2Stats.Why.SILENCE);
            moveOn(Life.AWAY);
        }
    }

    // ---- the codec

    @Nullable
    Http2BackendRequest request(int number) {
        return streams.get(number);
    }

    void roomGrew() {
        if (isOpen()) {
            pool.roomGrew(this);
        }
    }

    void readComplete() {
        watch.heard(shared.loop().readyNs());
        Http2BackendRequest request = touched.poll();
        while (request != null) {
            try {
                request.readComplete();
            } catch (RuntimeException | Error e) {
                fault(request, e, ErrorCode.CANCEL);
            }
            request = touched.poll();
        }
    }

    /** Content that waited for windows may have left. */
    void flushed() {
        if (lingering != null) {
            lingering.flushed();
        }
    }

    /** There may be more room for the content of requests, or less. */
    void roomChanged() {
        boolean changed = false;
        for (int i = 0; i < streams.places() && !changed; i++) {
            Http2BackendRequest request = streams.at(i);
            changed = request != null && request.hasRoomChanged();
        }
        if (changed) {
            for (Http2BackendRequest request : all()) {
                try {
                    request.roomChanged();
                } catch (RuntimeException | Error e) {
                    fault(request, e, ErrorCode.CANCEL);
                }
            }
        }
    }

    /** The endpoint takes no further stream, and has not looked at those above {@code last}. */
    void goneAway(int last) {
        moveOn(Life.AWAY);
        for (Http2BackendRequest request : all()) {
            if (request.number() > last) {
                codec.stats().refused();
                fail(request, Failure.STREAM_REFUSED, null);
            }
        }
        close();
    }

    /**
     * The connection cannot be written any more. The next read decides on the streams; their deadlines bound the wait.
     */
    void outputBroken() {
        moveOn(Life.AWAY);
        for (Http2BackendRequest request : all()) {
            try {
                request.outputBroken();
            } catch (RuntimeException | Error e) {
                fault(request, e, null);
            }
        }
        close();
    }

    /**
     * The endpoint has broken a rule of a stream, which ends.
     *
     * @return true if the stream is one of those that are under way
     */
    boolean streamError(int number, ErrorCode error) {
        Http2BackendRequest request = streams.get(number);
        if (request != null) {
            request.broke(Rule.FRAMES);
            request.fail(Failure.BAD_RESPONSE, error);
        }
        return request != null;
    }

    /** A section is larger than the endpoint takes: the client's fault, as another endpoint, or a new connection, takes no more. */
    void sectionTooLarge(int number) {
        Http2BackendRequest request = streams.get(number);
        if (request != null) {
            request.fail(Failure.HEADERS_TOO_LARGE, ErrorCode.CANCEL);
        }
    }

    /**
     * The endpoint has sent too many frames that bring nothing: it gets no further stream.
     *
     * @return whether there are streams, which have a while to end in order
     */
    boolean flooded(String kind, int count) {
        moveOn(Life.FLOODED);
        codec.stats().ended(BackendHttp2Stats.Why.FLOOD);
        shared.floods().tell(link.peerAddress(), kind, count, shared.loop().nowNs());
        if (live == 0) {
            return false;
        }
        codec.calm();
        deadline.set(FloodWindow.GRACE_NS);
        return true;
    }

    /** The endpoint has broken a rule of the connection, whose octets cannot be trusted any more. */
    void broken(ErrorCode error) {
        moveOn(Life.AWAY);
        boolean flood = error == ErrorCode.ENHANCE_YOUR_CALM;
        if (!flood) {
            codec.stats().ended(BackendHttp2Stats.Why.PROTOCOL);
        } else if (isBefore(Life.FLOODED)) {
            flooded("continuations", BackendFloods.SMALL_CONTINUATIONS + 1);
        }
        moveOn(Life.ENDING);
        deadline.set(GOODBYE_NS);
        failAll(flood ? Failure.BACKEND_FLOOD : Failure.BAD_RESPONSE);
    }

    /** The connection is lost, or something of ours has failed. */
    void lost(Throwable cause) {
        moveOn(Life.AWAY);
        if (!(cause instanceof IOException)) {
            shared.loop().report("backend connection ended by ", cause);
        }
        failAll(Failure.BACKEND_CLOSED);
    }

    void closed() {
        life = Life.CLOSED;
        deadline.cancel();
        try {
            failAll(Failure.BACKEND_CLOSED);
        } finally {
            touched.clear();
            pool.closed(this);
        }
    }

    private void failAll(Failure failure) {
        for (Http2BackendRequest request : all()) {
            fail(request, failure, null);
        }
    }

    // nobody else would fail the others
    private void fail(Http2BackendRequest request, Failure failure, @Nullable ErrorCode error) {
        try {
            if (failure == Failure.BAD_RESPONSE) {
                request.broke(Rule.FRAMES);
            }
            request.fail(failure, error);
        } catch (RuntimeException | Error e) {
            report(e);
        }
    }

    // ends one whose client has thrown, so that the others go on
    private void fault(Http2BackendRequest request, Throwable cause, @Nullable ErrorCode error) {
        report(cause);
        fail(request, Failure.INTERNAL, error);
    }

    private void report(Throwable cause) {
        shared.loop().report("backend stream ended by ", cause);
    }

    private Http2BackendRequest[] all() {
        return streams.copy(NONE);
    }

    // ---- the deadline: for rest, for silence, or for the end

    private void awaitSilence() {
        long keepAliveNs = shared.keepAliveNs();
        if (keepAliveNs == Limits.UNLIMITED) {
            deadline.clear();
        } else {
            deadline.set(keepAliveNs);
        }
    }

    @Override
    public void onDeadline() {
        if (life == Life.ENDING) {
            link.closeByReset();
        } else if (life == Life.FLOODED) {
            failAll(Failure.BACKEND_FLOOD);
            link.closeByReset();
        } else if (live == 0) {
            close();
        } else {
            lookForSilence(shared.loop().nowNs());
        }
    }

    private void lookForSilence(long nowNs) {
        SilenceWatch.Step step = watch.step(nowNs);
        if (step == SilenceWatch.Step.WAIT) {
            deadline.set(watch.leftNs(nowNs));
        } else if (step == SilenceWatch.Step.END) {
            codec.stats().ended(BackendHttp2Stats.Why.SILENCE);
            moveOn(Life.AWAY);
            failAll(Failure.BACKEND_CLOSED);
            link.closeByReset();
        } else {
            codec.ping(0);
            codec.flushUnlessReading();
            deadline.set(shared.keepAliveNs());
        }
    }
}

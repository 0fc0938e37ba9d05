package io.remora.http2;

import io.remora.exchange.FloodReport;
import io.remora.exchange.FrontendExchange;
import io.remora.http.Failure;
import io.remora.http.GrpcStatus;
import io.remora.metrics.Http2Metric;
import io.remora.metrics.Http2Stats;
import io.remora.transport.Deadline;
import org.jspecify.annotations.Nullable;

/**
 * Faults of a client, single or too often: each costs it a stream, or the connection.
 *
 * <p>Owner: one connection. Bounds: those of {@link FrontendFloods}. Spec: RFC 9113 sections 5.4 and 10.5.
 */
final class FrontendFaults implements Deadline.Expirable {
    private final Http2FrontendConnection owner;
    private final FrontendFloods floods;
    private final Http2Stats stats;
    private final FloodReport report;
    private final RecentResets recentResets = new RecentResets();
    /** The time that good streams have once a bound was passed; null before. */
    private @Nullable Deadline grace;

    /** The highest number of a stream that was refused; no number below it may be opened. */
    private int lastRefused;

    FrontendFaults(Http2FrontendConnection owner, FrontendFloods floods, Http2Stats stats, FloodReport report) {
        this.owner = owner;
        this.floods = floods;
        this.stats = stats;
        this.report = report;
    }

    /** Returns whether this side has reset it of late. */
    boolean hasReset(int id) {
        return recentResets.contains(id);
    }

    /** Returns whether it is a number of the client's that has been refused, or passed over before one that was. */
    boolean hasRefused(int id) {
        return id <= lastRefused && (id & 1) != 0;
    }

    // ---- of frames

    void emptyFrame() {
        endIf(floods.emptyFrame());
    }

    /** Counts a frame for a stream that does not exist. */
    void strayFrame() {
        endIf(floods.controlFrame());
    }

    void resetByClient(@Nullable Http2FrontendStream stream) {
        stats.increment(Http2Metric.RESETS, "client");
        if (stream != null) {
            thrownAway(stream);
        }
    }

    // ---- of streams

    /** A section of a stream was larger than it may be; it may be the first one. */
    void headersTooLarge(int id) {
        Http2FrontendStream stream = owner.streams.get(id);
        if (stream != null && stream.exchange() == null) {
            // the exchange is over, and trailers begin no other one
            refuse(stream, ErrorCode.PROTOCOL_ERROR);
            return;
        }
        owner.requests.tooLarge(stream == null ? owner.open(id) : stream);
        // trailers throw away what a backend has done for their request, as a reset does
        endIf(stream == null ? floods.controlFrame() : floods.reset(stream.begunNs()));
    }

    /** Ends a stream by an error of the client's. */
    void streamError(int id, ErrorCode error) {
        Http2FrontendStream stream = owner.streams.get(id);
        if (stream != null) {
            refuse(stream, error);
        } else if (!recentResets.contains(id)) {
            // RFC 9113 5.4.2: of a stream that this side has reset, more may be under way
            if (error == ErrorCode.REFUSED_STREAM) {
                lastRefused = Math.max(lastRefused, id);
            }
            reset(id, error);
        }
        if (stream == null) {
            endIf(floods.controlFrame());
        }
    }

    /** The client has broken a rule of {@code stream}, which costs it no more than a reset. */
    void refuse(Http2FrontendStream stream, ErrorCode error) {
        thrownAway(stream);
        if (!owner.isOver()) {
            stream.refuse(error);
        }
    }

    /**
     * The code by which a stream is reset whose response cannot be whole: the endpoint's own where it has reset the stream, the nearest
     * to its status for a call of gRPC.
     */
    static long told(@Nullable FrontendExchange ended) {
        if (ended == null) {
            return ErrorCode.INTERNAL_ERROR.code();
        }
        // a client might take a response for whole that ends without an error
        if (ended.resetCode() > ErrorCode.NO_ERROR.code()) {
            return ended.resetCode();
        }
        Failure failure = ended.failure();
        return told(failure == null || !ended.isGrpcCall() ? GrpcStatus.INTERNAL : ended.statusOf(failure))
                .code();
    }

    private static ErrorCode told(GrpcStatus status) {
        if (status == GrpcStatus.DEADLINE_EXCEEDED) {
            // which clients take for that once their own clock says so
            return ErrorCode.CANCEL;
        }
        return status == GrpcStatus.RESOURCE_EXHAUSTED ? ErrorCode.ENHANCE_YOUR_CALM : ErrorCode.INTERNAL_ERROR;
    }

    /** Counts work for a stream that was wasted, by a fault of the client's. */
    void thrownAway(Http2FrontendStream stream) {
        endIf(floods.reset(stream.begunNs()));
    }

    /** Resets a stream, for any reason. */
    void reset(int id, ErrorCode error) {
        reset(id, error.code());
    }

    void reset(int id, long code) {
        stats.increment(Http2Metric.RESETS, "proxy");
        recentResets.add(id);
        owner.codec().reset(id, code);
        owner.turn.written();
    }

    // ---- of the connection

    /** The connection is at its end by an error of the client's. */
    void connectionError(ErrorCode error) {
        if (owner.isOver()) {
            return;
        }
        if (error == ErrorCode.ENHANCE_YOUR_CALM) {
            abuse(Abuse.HEADER_LIST);
        } else {
            stats.increment(Http2Metric.ERRORS);
            owner.endWith(error, Failure.CLIENT_GONE);
        }
    }

    private void endIf(@Nullable Abuse abuse) {
        if (abuse != null) {
            abuse(abuse);
        }
    }

    /** A bound was passed. For the first time, streams that are open may still end in order; the second time ends the connection. */
    void abuse(Abuse abuse) {
        if (owner.isOver()) {
            return;
        }
        boolean first = grace == null;
        if (first) {
            stats.increment(Http2Metric.ABUSE, abuse.label());
        }
        if (first && abuse.isFlood()) {
            report.tell(
                    owner.link().peerAddress(),
                    abuse.label(),
                    floods.tooMany(),
                    owner.listener().loop().nowNs());
        }
        if (first && abuse.hasGrace() && !owner.streams.isEmpty()) {
            floods.passed();
            grace = owner.listener().loop().deadlines().add(this);
            grace.set(FloodWindow.GRACE_NS);
            owner.goAway.calm();
        } else {
            owner.endWith(ErrorCode.ENHANCE_YOUR_CALM, first ? abuse.failure() : Failure.FLOOD);
        }
    }

    /** The time is over that the streams had which were open when a bound was passed. */
    @Override
    public void onDeadline() {
        if (!owner.isOver()) {
            owner.endWith(ErrorCode.ENHANCE_YOUR_CALM, Failure.FLOOD);
        }
    }

    /** Ends it for good, as the connection is closed. */
    void cancel() {
        if (grace != null) {
            grace.cancel();
        }
    }
}

package io.remora.grpc;

import io.remora.http.BodyLength;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.GrpcStatus;
import io.remora.http.Octets;
import io.remora.http.ResponseHead;
import io.remora.metrics.GrpcMetric;
import io.remora.metrics.GrpcStats;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * State of an exchange that is a gRPC call: its status, and how often the call was made before. Other exchanges have
 * none.
 *
 * <p>Owner: the exchange. Spec: gRPC's protocol over HTTP/2.
 */
public final class GrpcCall {
    /** Result instead of a wait: the endpoint does not want the call again. */
    public static final long NO_RETRY = -1;

    private static final FieldName PUSHBACK = FieldName.of("grpc-retry-pushback-ms");
    private static final FieldName PREVIOUS = FieldName.of("grpc-previous-rpc-attempts");
    private static final int MOST_BEFORE = 1_000;
    private static final int OK = 200;

    private final GrpcStats stats;
    private @Nullable GrpcStatus status;
    /** Null where nobody counts by methods. */
    private @Nullable GrpcCounts method;

    /** Number of earlier calls that the client itself made; -1 until that matters. */
    private int before = -1;

    public GrpcCall(GrpcStats stats) {
        this.stats = stats;
    }

    /** The status in a response that has nothing but a head; null for any other. */
    public static @Nullable GrpcStatus withoutContent(ResponseHead head) {
        return head.status == OK && head.bodyLength() == BodyLength.NONE ? GrpcStatus.in(head.fields) : null;
    }

    /** The status of a response that has ended; {@link GrpcStatus#UNKNOWN} where it should have said one. */
    public static @Nullable GrpcStatus atEnd(int httpStatus, @Nullable Fields trailers) {
        GrpcStatus told = GrpcStatus.in(trailers);
        return told == null && httpStatus == OK ? GrpcStatus.UNKNOWN : told;
    }

    /** Returns the wait that the endpoint wants before the next call, 0 for none; {@link #NO_RETRY} for never. */
    public static long waitNs(Fields fields) {
        int at = fields.indexOf(PUSHBACK, 0);
        if (at < 0) {
            return 0;
        }
        long ms = Octets.decimal(fields.array(), fields.valueStart(at), fields.valueEnd(at));
        return ms < 0 || ms > Integer.MAX_VALUE ? NO_RETRY : TimeUnit.MILLISECONDS.toNanos(ms);
    }

    /** Sets in the request how often the call was made before, added to the number from its client. */
    public void repeats(Fields fields, int times) {
        if (before < 0) {
            int at = fields.indexOf(PREVIOUS, 0);
            long told = at < 0 ? 0 : Octets.decimal(fields.array(), fields.valueStart(at), fields.valueEnd(at));
            before = told < 0 || told > MOST_BEFORE ? 0 : (int) told;
        }
        fields.set(PREVIOUS, Integer.toString(before + times));
    }

    /** Counts the call by its method as well. */
    public void countAt(GrpcCounts ofMethod) {
        method = ofMethod;
    }

    /** Records the status that the client receives; null for none. */
    public void responds(@Nullable GrpcStatus told) {
        if (told != null) {
            status = told;
        }
    }

    /** Returns the status that the client received; null for none. */
    public @Nullable GrpcStatus status() {
        return status;
    }

    /** Returns the call's outcome, as metrics and logs name it. */
    public String label() {
        return status == null ? GrpcStatus.NONE : status.label();
    }

    /**
     * Tells if the call ended in a failure of its endpoint.
     *
     * @param httpStatus of the response that its client was sent, 0 for none
     */
    public boolean hasFailed(int httpStatus) {
        // a response that says no status is unknown to its client
        return status == null ? httpStatus == OK : status.isEndpoints();
    }

    /** Counts the call at the end of its exchange, with this status if it has failed. */
    public void ended(@Nullable GrpcStatus failed) {
        responds(failed);
        String label = label();
        stats.increment(GrpcMetric.CALLS, label);
        if (method != null) {
            method.ended(label);
        }
    }
}

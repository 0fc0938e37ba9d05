package io.remora.exchange;

import io.remora.http.Failure;
import io.remora.http.GrpcStatus;
import org.jspecify.annotations.Nullable;

/**
 * One try to have a request answered, as filters see it.
 *
 * <p>Owner: the exchange's event loop.
 */
public interface AttemptView {
    /** Its place among the exchange's attempts, from 1. */
    int number();

    /** Name of the attempt's endpoint; null where none could be picked. */
    @Nullable
    String endpoint();

    /** Name of its cluster in metrics; null where that has no name. */
    @Nullable
    String clusterName();

    /** The scheme of the request as its endpoint gets it. */
    String scheme();

    /** The final response's status, 0 where none came. */
    int status();

    /** Its failure; null before it has ended, and where it did not fail. */
    @Nullable
    Failure failure();

    /** Status of the gRPC call; null where the response has none, or the request is no call. */
    @Nullable
    GrpcStatus grpcStatus();

    /** Returns whether its connection had carried a stream before. */
    boolean wasReused();

    /**
     * Reason for its failure, null where it did not fail: the failure's label, or the status for which another attempt
     * was to follow. That status reads {@code status-503} or {@code grpc-unavailable}. Called once the attempt has
     * ended.
     */
    @Nullable
    String reason();
}

package io.remora.grpc;

import io.remora.http.Fields;
import io.remora.http.GrpcStatus;
import io.remora.http.RequestHead;
import io.remora.http.ResponseHead;
import io.remora.stream.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * Verdict on an endpoint by its response to a gRPC call. There is none before the status is known, which comes after
 * the content unless there is none. Loaded only where calls are made.
 *
 * <p>Owner: one attempt.
 */
public final class GrpcAnswer {
    private static final int OK = 200;

    private final int httpStatus;
    /** Null until it is known, and for good where another server has answered. */
    private @Nullable GrpcStatus status;

    private GrpcAnswer(int httpStatus, @Nullable GrpcStatus status) {
        this.httpStatus = httpStatus;
        this.status = status;
    }

    /** Null where the response is none of gRPC, which owes no status. */
    public static @Nullable GrpcAnswer of(ResponseHead head) {
        GrpcStatus only = GrpcCall.withoutContent(head);
        return only == null && !RequestHead.hasGrpcContent(head.fields) ? null : new GrpcAnswer(head.status, only);
    }

    /** Takes the status of a response that is whole. */
    public void ended(@Nullable Fields trailers) {
        if (status == null) {
            status = GrpcCall.atEnd(httpStatus, trailers);
        }
    }

    /** Null where it is not known. */
    public @Nullable GrpcStatus status() {
        return status;
    }

    public Verdict verdict() {
        if (status != null) {
            return Verdict.ofGrpc(status);
        }
        return httpStatus == OK ? Verdict.IGNORED : Verdict.ofStatus(httpStatus);
    }
}

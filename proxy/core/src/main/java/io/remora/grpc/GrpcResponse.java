package io.remora.grpc;

import io.remora.http.Failure;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.GrpcStatus;

/**
 * The sidecar's own responses to calls of gRPC: a head and nothing more, which says the status, or the trailers of a response that
 * has begun. Loaded only where a call fails.
 *
 * <p>Spec: gRPC's protocol over HTTP/2, Trailers-Only and Trailers.
 */
public final class GrpcResponse {
    /** The status of every response that says one of gRPC. */
    public static final int HTTP_STATUS = 200;

    private GrpcResponse() {}

    /** Adds the fields of a response that is nothing but a head. */
    public static void ofFailure(Failure failure, GrpcStatus status, Fields fields) {
        fields.add(FieldName.CONTENT_TYPE, GrpcStatus.CONTENT_TYPE);
        tell(failure, status, failure.text(), fields);
    }

    /** Returns the trailers of a response that has begun. */
    public static Fields trailers(Failure failure, GrpcStatus status) {
        Fields fields = new Fields();
        tell(failure, status, behindHead(failure), fields);
        return fields;
    }

    // the texts of some failures say that there is no response
    private static String behindHead(Failure failure) {
        return switch (failure) {
            case BACKEND_CLOSED -> "The backend closed the connection in the middle of the response.";
            case STREAM_REFUSED -> "The backend gave up the request in the middle of the response.";
            default -> failure.text();
        };
    }

    private static void tell(Failure failure, GrpcStatus status, String text, Fields fields) {
        fields.add(GrpcStatus.STATUS, status.code());
        fields.add(GrpcStatus.MESSAGE, GrpcStatus.encoded(text));
        fields.add(FieldName.REMORA_ERROR, failure.label());
    }
}

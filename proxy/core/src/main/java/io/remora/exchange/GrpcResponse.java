package io.remora.exchange;

import io.remora.http.Failure;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.GrpcStatus;
import io.remora.http.ResponseHead;
import io.remora.transport.Loop;

/**
 * The sidecar's own responses to calls of gRPC: a head and nothing more, which says the status, or the trailers of a response that
 * has begun. Loaded only where a call fails.
 *
 * <p>Spec: gRPC's protocol over HTTP/2, Trailers-Only and Trailers.
 */
final class GrpcResponse {
    private static final int OK = 200;

    private GrpcResponse() {}

    static ResponseHead ofFailure(Failure failure, GrpcStatus status, Loop loop) {
        Fields fields = new Fields();
        ResponseHead head = LocalResponse.of(OK, fields, loop);
        fields.add(FieldName.CONTENT_TYPE, GrpcStatus.CONTENT_TYPE);
        tell(failure, status, failure.text(), fields);
        return head;
    }

    static Fields trailers(Failure failure, GrpcStatus status) {
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

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

    static ResponseHead ofFailure(Failure failure, Loop loop) {
        Fields fields = new Fields();
        ResponseHead head = LocalResponse.of(OK, fields, loop);
        fields.add(FieldName.CONTENT_TYPE, GrpcStatus.CONTENT_TYPE);
        tell(failure, fields);
        return head;
    }

    static Fields trailers(Failure failure) {
        Fields fields = new Fields();
        tell(failure, fields);
        return fields;
    }

    private static void tell(Failure failure, Fields fields) {
        fields.add(GrpcStatus.STATUS, GrpcStatus.of(failure).code());
        fields.add(GrpcStatus.MESSAGE, GrpcStatus.encoded(failure.text()));
        fields.add(FieldName.REMORA_ERROR, failure.label());
    }
}

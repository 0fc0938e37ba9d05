package io.remora.exchange;

import io.remora.http.Fields;
import io.remora.http.GrpcTimeout;

/** How long a client of gRPC waits. Owner: the exchange. */
final class GrpcDeadline extends CallerDeadline {
    GrpcDeadline(long waitsNs) {
        super(waitsNs);
    }

    @Override
    void say(Fields fields, long leftNs) {
        fields.set(GrpcTimeout.FIELD, GrpcTimeout.text(leftNs));
    }
}

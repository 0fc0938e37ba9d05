package io.remora.feature.grpc;

import io.remora.exchange.CallerDeadline;
import io.remora.http.Fields;
import io.remora.http.GrpcTimeout;
import org.jspecify.annotations.Nullable;

/** The time for which a client of gRPC waits. Owner: the exchange. */
final class GrpcDeadline extends CallerDeadline {
    private GrpcDeadline(long waitsNs) {
        super(waitsNs);
    }

    /** Returns the deadline in a request's fields; null where there is none, or none that can be read. */
    static @Nullable GrpcDeadline of(Fields fields) {
        int at = fields.indexOf(GrpcTimeout.FIELD, 0);
        if (at < 0 || fields.indexOf(GrpcTimeout.FIELD, at + 1) >= 0) {
            return null;
        }
        long waitsNs = GrpcTimeout.ns(fields.value(at));
        return waitsNs == GrpcTimeout.NONE ? null : new GrpcDeadline(waitsNs);
    }

    @Override
    protected void say(Fields fields, long leftNs) {
        fields.set(GrpcTimeout.FIELD, GrpcTimeout.text(leftNs));
    }
}

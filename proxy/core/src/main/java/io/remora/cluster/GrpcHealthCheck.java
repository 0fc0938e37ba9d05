package io.remora.cluster;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.GrpcHealth;
import io.remora.http.GrpcStatus;
import io.remora.http.GrpcTimeout;
import io.remora.http.Octets;
import io.remora.http.RequestHead;
import io.remora.stream.BackendStream;
import org.jspecify.annotations.Nullable;

/**
 * One check of an endpoint by gRPC's health service.
 *
 * <p>Owner: the event loop. Bounds: an answer of {@link #MOST_OCTETS}.
 */
final class GrpcHealthCheck extends HealthCheck {
    private static final int MOST_OCTETS = GrpcHealth.MOST_OCTETS;
    private static final Octets PATH = Octets.of(GrpcHealth.PATH);

    private final byte[] request;
    private final byte[] answer = new byte[MOST_OCTETS];
    private int octets;
    private @Nullable GrpcStatus grpcStatus;

    /**
     * @param service empty for the server as a whole
     */
    GrpcHealthCheck(HealthChecks checks, String host, String service, long timeoutNs) {
        super(checks, new Head(host, GrpcHealth.request(service).length, timeoutNs), timeoutNs);
        request = GrpcHealth.request(service);
    }

    /** The request, which takes trailers, in which the status comes. */
    private static final class Head extends RequestHead {
        Head(String host, int length, long timeoutNs) {
            super("POST", PATH, Octets.of(host), "2.0", new Fields(), length);
            fields.set(FieldName.CONTENT_TYPE, GrpcStatus.CONTENT_TYPE);
            fields.set(FieldName.USER_AGENT, HealthChecks.AGENT);
            fields.set(GrpcTimeout.FIELD, GrpcTimeout.text(timeoutNs));
            takeTrailers();
        }
    }

    @Override
    void sent(BackendStream to) {
        to.content(Unpooled.wrappedBuffer(request));
        to.end(null);
    }

    @Override
    public void content(ByteBuf content) {
        int length = content.readableBytes();
        if (octets + length <= MOST_OCTETS) {
            content.readBytes(answer, octets, length);
        }
        // more than there is room for is no answer to this
        octets = Math.min(MOST_OCTETS + 1, octets + length);
        content.release();
    }

    @Override
    public void end(@Nullable Fields trailers) {
        grpcStatus = GrpcStatus.in(trailers);
        super.end(trailers);
    }

    @Override
    boolean isGood(int answered) {
        return answered == 200
                && grpcStatus == GrpcStatus.OK
                && octets <= MOST_OCTETS
                && GrpcHealth.isServing(answer, octets);
    }
}

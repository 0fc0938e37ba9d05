package io.remora.cluster;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.GrpcStatus;
import io.remora.http.GrpcTimeout;
import io.remora.http.Octets;
import io.remora.http.RequestHead;
import io.remora.stream.BackendStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * One check of an endpoint by gRPC's health service. Its two messages have a field each, and are written and read here.
 *
 * <p>Owner: the event loop. Bounds: an answer of {@link #MOST_OCTETS}. Spec: {@code grpc.health.v1}, and protocol buffers' wire format.
 */
final class GrpcHealthCheck extends HealthCheck {
    private static final int MOST_OCTETS = 64;
    private static final Octets PATH = Octets.of("/grpc.health.v1.Health/Check");
    /** The octets before a message: whether it is compressed, and its length. */
    private static final int PREFIX = 5;
    /** Field 1, by its length, of the request. */
    private static final int SERVICE = 1 << 3 | 2;
    /** Field 1, a number, of the response. */
    private static final int STATUS = 1 << 3;

    private static final int SERVING = 1;

    private final byte[] request;
    private final byte[] answer = new byte[MOST_OCTETS];
    private int octets;
    private @Nullable GrpcStatus grpcStatus;

    /**
     * @param service empty for the server as a whole
     */
    GrpcHealthCheck(HealthChecks checks, String host, String service, long timeoutNs) {
        super(checks, new Head(host, request(service).length, timeoutNs), timeoutNs);
        request = request(service);
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

    /** A message behind its prefix. */
    static byte[] request(String service) {
        byte[] name = service.getBytes(StandardCharsets.US_ASCII);
        int length = name.length == 0 ? 0 : 2 + name.length;
        byte[] framed = new byte[PREFIX + length];
        framed[PREFIX - 1] = (byte) length;
        if (length > 0) {
            framed[PREFIX] = SERVICE;
            framed[PREFIX + 1] = (byte) name.length;
            System.arraycopy(name, 0, framed, PREFIX + 2, name.length);
        }
        return framed;
    }

    /** Returns whether the octets are one message that says SERVING, as its one field or the last of several. */
    static boolean isServing(byte[] framed, int length) {
        boolean whole = length >= PREFIX && framed[0] == 0 && framed[1] == 0 && framed[2] == 0 && framed[3] == 0;
        if (!whole || framed[PREFIX - 1] != length - PREFIX) {
            return false;
        }
        int status = 0;
        for (int at = PREFIX; at < length; at += 2) {
            // every value that there is fits into one octet, and no other field has been defined
            if (framed[at] != STATUS || at + 1 == length || framed[at + 1] < 0) {
                return false;
            }
            status = framed[at + 1];
        }
        return status == SERVING;
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
        return answered == 200 && grpcStatus == GrpcStatus.OK && octets <= MOST_OCTETS && isServing(answer, octets);
    }
}

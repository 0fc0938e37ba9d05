package io.remora.loadtest;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import java.nio.ByteBuffer;

/** A request as it is sent over HTTP/2, again and again: its fields, which nobody may change, and its content. */
final class Http2Request {
    /** What stands before a message of gRPC: that it is not compressed, and its length. */
    static final int GRPC_PREFIX = 5;

    private static final String GRPC = "grpc:";

    private final Http2Headers fields;
    private final byte[] content;
    private final boolean isCall;
    private final GoodStatus good;

    private Http2Request(Http2Headers fields, byte[] content, boolean isCall, GoodStatus good) {
        this.fields = fields;
        this.content = content;
        this.isCall = isCall;
        this.good = good;
    }

    /** Of gRPC, whose answer is good only with a message, and with a status of 0 behind it. */
    boolean isCall() {
        return isCall;
    }

    Http2Headers fields() {
        return fields;
    }

    byte[] content() {
        return content;
    }

    /** Returns the statuses that are no failure. */
    GoodStatus good() {
        return good;
    }

    /** The same over TLS. */
    Http2Request secured() {
        return new Http2Request(new DefaultHttp2Headers().setAll(fields).scheme("https"), content, isCall, good);
    }

    static Http2Request get(String path) {
        return new Http2Request(fields("GET", path), new byte[0], false, GoodStatus.SUCCESS);
    }

    static Http2Request post(String path, int bytes) {
        Http2Headers fields = fields("POST", path).set("content-type", "text/plain");
        return new Http2Request(fields.setInt("content-length", bytes), new byte[bytes], false, GoodStatus.SUCCESS);
    }

    /** Any method, with a body of so many bytes. */
    static Http2Request of(String method, String path, int bytes) {
        Http2Headers fields = fields(method, path);
        return new Http2Request(
                bytes == 0 ? fields : fields.setInt("content-length", bytes),
                new byte[bytes],
                false,
                GoodStatus.SUCCESS);
    }

    /** Returns a copy whose response may also have a status of this class, as in the recorded traffic. */
    Http2Request recorded(int statusClass) {
        return new Http2Request(fields, content, isCall, GoodStatus.recorded(statusClass));
    }

    /** Returns a copy with a field that is added or replaced. */
    Http2Request with(String name, String value) {
        return new Http2Request(new DefaultHttp2Headers().setAll(fields).set(name, value), content, isCall, good);
    }

    /** A unary call with a message of so many bytes. */
    static Http2Request grpc(String path, int bytes) {
        Http2Headers fields = fields("POST", path).set("content-type", "application/grpc");
        byte[] content =
                ByteBuffer.allocate(GRPC_PREFIX + bytes).putInt(1, bytes).array();
        return new Http2Request(fields.set("te", "trailers"), content, true, GoodStatus.SUCCESS);
    }

    /** {@code h2} for a GET, {@code grpc:1024} for a call with a message of that size. */
    static Http2Request of(String kind, String path) {
        if (kind.equals("h2")) {
            return get(path);
        }
        if (!kind.startsWith(GRPC)) {
            throw new IllegalArgumentException("neither h2 nor grpc:BYTES: " + kind);
        }
        return grpc(path, Integer.parseInt(kind.substring(GRPC.length())));
    }

    private static Http2Headers fields(String method, String path) {
        return new DefaultHttp2Headers()
                .method(method)
                .scheme("http")
                .authority("127.0.0.1")
                .path(path)
                .set("user-agent", "fixed-rate")
                .set("accept", "*/*");
    }
}

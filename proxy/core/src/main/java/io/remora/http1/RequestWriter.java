package io.remora.http1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequestEncoder;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.remora.http.BodyLength;
import io.remora.http.Names;
import io.remora.http.RequestHead;
import org.jspecify.annotations.Nullable;

/**
 * Writes requests to an HTTP/1.1 backend; nothing is flushed here.
 *
 * <p>Owner: one backend connection. Spec: RFC 9112 section 6.
 */
final class RequestWriter {
    private final Channel channel;
    private final HttpRequestEncoder encoder = new HttpRequestEncoder();

    RequestWriter(Channel channel) {
        this.channel = channel;
    }

    HttpRequestEncoder encoder() {
        return encoder;
    }

    /** Writes the head, and with it the end of a request that has no body. */
    void writeHead(RequestHead head) {
        if (head.bodyLength == BodyLength.NONE) {
            channel.write(
                    new DefaultFullHttpRequest(
                            HttpVersion.HTTP_1_1,
                            head.method,
                            head.target,
                            Unpooled.EMPTY_BUFFER,
                            head.fields,
                            EmptyHttpHeaders.INSTANCE),
                    channel.voidPromise());
            return;
        }
        if (head.bodyLength == BodyLength.UNKNOWN) {
            head.fields.set(Names.TRANSFER_ENCODING, Names.CHUNKED);
        }
        channel.write(
                new DefaultHttpRequest(HttpVersion.HTTP_1_1, head.method, head.target, head.fields),
                channel.voidPromise());
    }

    void writeContent(ByteBuf content) {
        channel.write(new DefaultHttpContent(content), channel.voidPromise());
    }

    /**
     * @param trailers null or empty for none
     */
    void writeEnd(@Nullable HttpHeaders trailers) {
        channel.write(
                trailers == null || trailers.isEmpty()
                        ? LastHttpContent.EMPTY_LAST_CONTENT
                        : new DefaultLastHttpContent(Unpooled.EMPTY_BUFFER, trailers),
                channel.voidPromise());
    }
}

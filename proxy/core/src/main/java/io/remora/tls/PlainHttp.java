package io.remora.tls;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** What a client hears that speaks plain HTTP to a listener with TLS. */
final class PlainHttp {
    private static final String BODY = "this listener speaks TLS: use https\n";

    private PlainHttp() {}

    static ByteBuf refusal() {
        String head = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: " + BODY.length()
                + "\r\nConnection: close\r\n\r\n";
        return Unpooled.copiedBuffer(head + BODY, US_ASCII);
    }
}

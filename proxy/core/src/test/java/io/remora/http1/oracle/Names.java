package io.remora.http1.oracle;

import io.netty.util.AsciiString;

/** Field names the sidecar reads or writes, cased as it writes them. */
public final class Names {
    public static final AsciiString CONNECTION = AsciiString.cached("Connection");
    public static final AsciiString CONTENT_LENGTH = AsciiString.cached("Content-Length");
    public static final AsciiString CONTENT_TYPE = AsciiString.cached("Content-Type");
    public static final AsciiString DATE = AsciiString.cached("Date");
    public static final AsciiString EXPECT = AsciiString.cached("Expect");
    public static final AsciiString FORWARDED = AsciiString.cached("Forwarded");
    public static final AsciiString HOST = AsciiString.cached("Host");
    public static final AsciiString KEEP_ALIVE = AsciiString.cached("Keep-Alive");
    public static final AsciiString MAX_FORWARDS = AsciiString.cached("Max-Forwards");
    public static final AsciiString PROXY_CONNECTION = AsciiString.cached("Proxy-Connection");
    public static final AsciiString REMORA_ERROR = AsciiString.cached("Remora-Error");
    public static final AsciiString RETRY_AFTER = AsciiString.cached("Retry-After");
    public static final AsciiString SEC_WEBSOCKET_KEY1 = AsciiString.cached("Sec-WebSocket-Key1");
    public static final AsciiString SEC_WEBSOCKET_KEY2 = AsciiString.cached("Sec-WebSocket-Key2");
    public static final AsciiString TE = AsciiString.cached("TE");
    public static final AsciiString TRANSFER_ENCODING = AsciiString.cached("Transfer-Encoding");
    public static final AsciiString UPGRADE = AsciiString.cached("Upgrade");
    public static final AsciiString VIA = AsciiString.cached("Via");
    public static final AsciiString X_FORWARDED_FOR = AsciiString.cached("X-Forwarded-For");
    public static final AsciiString X_FORWARDED_HOST = AsciiString.cached("X-Forwarded-Host");
    public static final AsciiString X_FORWARDED_PROTO = AsciiString.cached("X-Forwarded-Proto");
    public static final AsciiString X_REQUEST_ID = AsciiString.cached("X-Request-Id");

    public static final AsciiString CHUNKED = AsciiString.cached("chunked");
    public static final AsciiString CLOSE = AsciiString.cached("close");
    public static final AsciiString WEBSOCKET = AsciiString.cached("websocket");

    private Names() {}
}

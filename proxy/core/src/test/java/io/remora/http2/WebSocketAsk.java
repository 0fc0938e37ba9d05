package io.remora.http2;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a client may ask for a WebSocket with, good and bad (RFC 6455 section 4, RFC 7692 section 7.1).
 *
 * @param fields pairs of a name and a value, behind Host
 */
record WebSocketAsk(String name, List<String> fields) {
    private static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";
    private static final List<String> GOOD = List.of(
            "Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", KEY);

    static final WebSocketAsk PLAIN = new WebSocketAsk("a good one", GOOD);

    private static WebSocketAsk with(String name, String... more) {
        List<String> fields = new ArrayList<>(GOOD);
        fields.addAll(List.of(more));
        return new WebSocketAsk(name, fields);
    }

    /** The value is in the place of what a good one has; empty for none. */
    private static WebSocketAsk instead(String field, String value) {
        List<String> fields = new ArrayList<>(GOOD);
        int at = 0;
        while (!fields.get(at).equals(field)) {
            at += 2;
        }
        if (value.isEmpty()) {
            fields.remove(at);
            fields.remove(at);
        } else {
            fields.set(at + 1, value);
        }
        return new WebSocketAsk(field + ": " + value, fields);
    }

    /** Those that mean the same in either version of HTTP. */
    static List<WebSocketAsk> inBoth() {
        List<WebSocketAsk> asks = new ArrayList<>(List.of(PLAIN));
        for (String version : new String[] {"0", "7", "12", "14", "99", "256", "x", "013", "-13"}) {
            asks.add(instead("Sec-WebSocket-Version", version));
        }
        asks.add(instead("Sec-WebSocket-Version", ""));
        asks.add(with("a subprotocol", "Sec-WebSocket-Protocol", "chat"));
        asks.add(with("two subprotocols", "Sec-WebSocket-Protocol", "superchat, chat"));
        asks.add(with(
                "subprotocols on two lines", "Sec-WebSocket-Protocol", "superchat", "Sec-WebSocket-Protocol", "chat"));
        asks.add(with("a subprotocol that nobody knows", "Sec-WebSocket-Protocol", "nobody"));
        asks.add(with("an origin", "Origin", "https://example.com"));
        asks.add(with("a foreign extension", "Sec-WebSocket-Extensions", "x-unknown; with=parameter"));
        for (String parameters : new String[] {
            "",
            "; client_max_window_bits",
            "; client_max_window_bits=10",
            "; client_max_window_bits=7",
            "; client_max_window_bits=16",
            "; server_max_window_bits=9",
            "; server_max_window_bits",
            "; server_max_window_bits=8",
            "; client_no_context_takeover; server_no_context_takeover",
            "; client_no_context_takeover=1",
            "; unknown=1",
            "; server_max_window_bits=10; server_max_window_bits=11",
            "; client_max_window_bits=\"12\"",
            "; unknown, permessage-deflate"
        }) {
            String offer = "permessage-deflate" + parameters;
            asks.add(with("the offer " + offer, "Sec-WebSocket-Extensions", offer));
        }
        return asks;
    }

    /** Those that only HTTP/1.1 has, beside {@link #inBoth}. */
    static List<WebSocketAsk> ofHttp1() {
        List<WebSocketAsk> asks = new ArrayList<>();
        for (String key : new String[] {"", "dGhlIHNhbXBsZQ==", "not base64 at all !!!!!!", KEY + KEY}) {
            asks.add(instead("Sec-WebSocket-Key", key));
        }
        asks.add(instead("Upgrade", "WebSocket"));
        asks.add(instead("Upgrade", ""));
        asks.add(instead("Connection", "keep-alive, Upgrade"));
        asks.add(instead("Connection", "upgrade"));
        asks.add(instead("Connection", "keep-alive"));
        asks.add(instead("Connection", ""));
        asks.add(new WebSocketAsk("no request for one", List.of()));
        return asks;
    }

    String http1() {
        StringBuilder head = new StringBuilder("GET /chat HTTP/1.1\r\nHost: app\r\n");
        for (int i = 0; i < fields.size(); i += 2) {
            head.append(fields.get(i)).append(": ").append(fields.get(i + 1)).append("\r\n");
        }
        return head.append("\r\n").toString();
    }

    String[] http2() {
        List<String> head = new ArrayList<>(List.of(":method", "CONNECT", ":protocol", "websocket", ":scheme", "http"));
        head.addAll(List.of(":authority", "app", ":path", "/chat"));
        for (int i = 0; i < fields.size(); i += 2) {
            String field = fields.get(i).toLowerCase(Locale.ROOT);
            if (!field.equals("connection") && !field.equals("upgrade") && !field.equals("sec-websocket-key")) {
                head.add(field);
                head.add(fields.get(i + 1));
            }
        }
        return head.toArray(new String[0]);
    }

    @Override
    public String toString() {
        return name;
    }
}

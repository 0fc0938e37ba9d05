package io.remora.http.rules;

import java.util.Random;

/**
 * Breaks messages at random, with a liking for what has fooled parsers before. The same seed gives the same messages.
 */
public final class Mutator {
    private static final String[] GADGETS = {
        "\r\n",
        "\n",
        "\r",
        "\0",
        " ",
        "\t",
        "\u000b",
        "\f",
        "\u0085",
        "\u00a0",
        ":",
        ",",
        ";",
        "\"",
        "#",
        "0",
        "1",
        "5",
        "a",
        "-",
        "+",
        "0\r\n\r\n",
        "\r\n\r\n",
        "\r\n ",
        "chunked",
        "identity",
        "gzip, ",
        "HTTP/1.0",
        "HTTP/1.1",
        "http://evil/",
        "*",
        "Transfer-Encoding: chunked\r\n",
        "Transfer-Encoding: \u000bchunked\r\n",
        "Transfer-Encoding : chunked\r\n",
        "Transfer-Encoding:\tchunked \r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n",
        "Content-Length: 5\r\n",
        "Content-Length: 0\r\n",
        "Content-Length: +5\r\n",
        "Content-Length: 05\r\n",
        "Host: evil\r\n",
        "Host : app\r\n",
        "Connection: close\r\n",
        "Connection: Host, Content-Length\r\n",
        "Connection: Transfer-Encoding\r\n",
        "Expect: 100-continue\r\n",
        "Sec-WebSocket-Key1: 1\r\nSec-WebSocket-Key2: 2\r\n",
        "Upgrade: websocket\r\n",
        "Connection: Upgrade\r\n",
        "GET /smuggled HTTP/1.1\r\nHost: app\r\n\r\n",
        "X: y\r\n",
        "X\r\n",
        "; a=\"\r\n",
        "5\r\nhello\r\n",
    };

    private final Random random;
    private final String[] messages;

    public Mutator(long seed, String[] messages) {
        this.random = new Random(seed);
        this.messages = messages;
    }

    public String next() {
        String octets = messages[random.nextInt(messages.length)];
        for (int count = 1 + random.nextInt(3); count > 0; count--) {
            octets = mutate(octets);
        }
        return octets;
    }

    private String mutate(String octets) {
        int at = random.nextInt(octets.length());
        String gadget = GADGETS[random.nextInt(GADGETS.length)];
        int length = Math.min(1 + random.nextInt(4), octets.length() - at);
        int lineStart = octets.lastIndexOf('\n', at) + 1;
        return switch (random.nextInt(7)) {
            case 0 -> octets.substring(0, at) + octets.substring(at + length);
            case 1 -> octets.substring(0, at) + gadget + octets.substring(at + length);
            case 2 -> octets.substring(0, at) + octets.substring(at, at + length) + octets.substring(at);
            case 3 -> octets.substring(0, at) + (char) random.nextInt(256) + octets.substring(at + 1);
            case 4 -> octets + gadget;
            case 5 -> octets.substring(0, at) + gadget + octets.substring(at);
            default -> octets.substring(0, lineStart) + gadget + octets.substring(lineStart);
        };
    }

    /** Printable, for a failure's message. */
    public static String escaped(String octets) {
        StringBuilder text = new StringBuilder();
        for (char c : octets.toCharArray()) {
            text.append(c < ' ' || c > '~' ? String.format("\\x%02x", (int) c) : c);
        }
        return text.toString();
    }
}

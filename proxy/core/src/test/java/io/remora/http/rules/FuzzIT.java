package io.remora.http.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.RawClient;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Valid requests, broken at random: whatever comes of them, the backend sees strictly valid requests only, as many as were answered,
 * and the very ones that the {@link Reference} reads in the client's octets. The seed is fixed, so that a failure repeats.
 */
final class FuzzIT {
    private static final long SEED = 9112;
    private static final int CASES = 2_000;
    private static final String[] SEEDS = {
        "GET / HTTP/1.1\r\nHost: app\r\n\r\n",
        "GET /a/b?c=d HTTP/1.1\r\nHost: app\r\nX-A: b\r\nConnection: X-A\r\n\r\n",
        "GET http://app/p HTTP/1.1\r\nHost: app\r\n\r\n",
        "POST /p HTTP/1.1\r\nHost: app\r\nContent-Length: 5\r\n\r\nhello",
        "POST /p HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "POST /p HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\nX-T: 1\r\n\r\n",
        "POST /1 HTTP/1.1\r\nHost: app\r\nContent-Length: 2\r\n\r\nabGET /2 HTTP/1.1\r\nHost: app\r\n\r\n",
        "GET /old HTTP/1.0\r\n\r\n",
        "PUT /e HTTP/1.1\r\nHost: app\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx",
    };
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

    @RegisterExtension
    static final Bench BENCH = new Bench();

    private final Random random = new Random(SEED);

    @Test
    @DisplayName("Requests broken at random are forwarded as the reference reads them, or not at all")
    void brokenRequests() {
        for (int i = 0; i < CASES; i++) {
            String octets = mutated();
            try {
                judge(octets);
            } catch (AssertionError | IOException e) {
                throw new AssertionError("case " + i + ": " + escaped(octets), e);
            }
        }
    }

    private static void judge(String octets) throws IOException {
        BENCH.mark();
        try (RawClient client = BENCH.sidecar.client()) {
            client.trySend(Wire.bytes(octets));
            byte[] atClient = client.shutdownOutputQuietly().readToEnd();
            BENCH.sidecar.awaitIdle();
            Verdict verdict = Verdict.of(atClient, BENCH.atBackend());
            assertThat(verdict.requests()).isEqualTo(Reference.requests(octets));
        }
    }

    private String mutated() {
        String octets = SEEDS[random.nextInt(SEEDS.length)];
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

    private static String escaped(String octets) {
        StringBuilder text = new StringBuilder();
        for (char c : octets.toCharArray()) {
            text.append(c < ' ' || c > '~' ? String.format("\\x%02x", (int) c) : c);
        }
        return text.toString();
    }
}

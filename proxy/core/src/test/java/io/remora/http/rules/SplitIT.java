package io.remora.http.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Contract;
import io.remora.testkit.RawClient;
import io.remora.testkit.Wire;
import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The same octets get the same verdict however they are packed: whole, cut in two anywhere, and one by one. Every
 * message ends its connection by itself, being invalid or the last.
 */
@Contract
final class SplitIT {
    @RegisterExtension
    static final Bench BENCH = new Bench();

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: app\r\nConnection: close\r\n\r\n",
                "\r\n\r\nGET /a?b HTTP/1.1\r\nHost: app\r\nX: \u00e2\u0080\u00a8\r\nConnection: X, close\r\n\r\n",
                "GET http://h/p HTTP/1.1\r\nHost: app\r\nConnection: close\r\n\r\n",
                "GET / HTTP/1.0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello",
                "POST / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
                        + "5;x=y\r\nhel\r\n\r\nA\r\n0123456789\r\n0\r\nX-Sum: 1\r\nHost: evil\r\n\r\n",
                "GET /1 HTTP/1.1\r\nHost: app\r\n\r\nPOST /2 HTTP/1.1\r\nHost: app\r\nContent-Length: 2\r\n\r\nab"
                        + "GET /3 HTTP/1.1\r\nHost: app\r\nConnection: close\r\n\r\nGET /4 HTTP/1.1\r\nHost: app\r\n\r\n",
                "GET /1 HTTP/1.1\r\nHost: app\r\n\r\nGET /2 HTTP/1.1\r\nHost : app\r\n\r\nGET /3 HTTP/1.1\r\nHost: app\r\n\r\n",
            })
    @DisplayName("Valid messages, split everywhere")
    void validMessagesSplitEverywhere(String octets) throws IOException {
        verdictWhereverSplit(octets);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: app\r\nFoo: a\r\n b\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: app\r\nFoo: a\rb\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: app\nFoo: a\r\n\r\n",
                "GET  / HTTP/1.1\r\nHost: app\r\n\r\n",
                "\0GET / HTTP/1.1\r\nHost: app\r\n\r\n",
                "GET / HTTP/1.7\r\nHost: app\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: app\r\nHost: app\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 1, 1\r\n\r\na",
                "POST / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello!\r\n0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n2;\nxx\r\n0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n100000004\r\ntest\r\n0\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: app\r\nSec-WebSocket-Key1: 1\r\nSec-WebSocket-Key2: 2\r\n\r\n12345678",
            })
    @DisplayName("Invalid messages, split everywhere")
    void invalidMessagesSplitEverywhere(String octets) throws IOException {
        assertThat(verdictWhereverSplit(octets).requests()).isEmpty();
    }

    private static Verdict verdictWhereverSplit(String octets) throws IOException {
        byte[] bytes = Wire.bytes(octets);
        Verdict whole = verdict(client -> client.send(bytes));
        for (int at = 1; at < bytes.length; at++) {
            int position = at;
            assertThat(verdict(client -> sendSplit(client, bytes, position)))
                    .as("split at %d", position)
                    .isEqualTo(whole);
        }
        assertThat(verdict(client -> sendOctetByOctet(client, bytes)))
                .as("octet by octet")
                .isEqualTo(whole);
        return whole;
    }

    private static void sendSplit(RawClient client, byte[] bytes, int at) throws IOException {
        client.send(java.util.Arrays.copyOf(bytes, at));
        BENCH.sidecar().barrier();
        client.trySend(java.util.Arrays.copyOfRange(bytes, at, bytes.length));
    }

    private static void sendOctetByOctet(RawClient client, byte[] bytes) {
        for (byte octet : bytes) {
            if (!client.trySend(new byte[] {octet})) {
                return;
            }
            BENCH.sidecar().barrier();
        }
    }

    @FunctionalInterface
    private interface Sender {
        void send(RawClient client) throws IOException;
    }

    private static Verdict verdict(Sender sender) throws IOException {
        BENCH.mark();
        try (RawClient client = BENCH.sidecar().client()) {
            sender.send(client);
            byte[] atClient = client.readToEnd();
            BENCH.sidecar().awaitIdle();
            return Verdict.of(atClient, BENCH.atBackend());
        }
    }
}

package io.remora.http.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Contract;
import io.remora.testkit.RawClient;
import io.remora.testkit.StrictHttp;
import io.remora.testkit.Wire;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Responses broken at random: the client sees one strictly valid response and nothing behind it, or a response that is
 * visibly cut. Seed and length as in {@link FuzzIT}.
 */
@Contract
final class ResponseFuzzIT {
    private static final long SEED = Long.getLong("remora.fuzz.seed", 9110);
    private static final int CASES = Integer.getInteger("remora.fuzz.cases", 1_000);
    private static final String[] SEEDS = {
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nX-T: 1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nConnection: X-A, close\r\nX-A: b\r\n\r\nhello",
        "HTTP/1.0 200 OK\r\nServer: old\r\n\r\nhello",
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 204 No Content\r\nX: y\r\n\r\n",
        "HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nLEAKED",
    };

    @RegisterExtension
    static final Bench BENCH = new Bench();

    private final Mutator mutator = new Mutator(SEED, SEEDS);

    @Test
    @DisplayName("Responses broken at random reach the client valid, cut or as 502")
    void brokenResponses() {
        for (int i = 0; i < CASES; i++) {
            String octets = mutator.next();
            String method = i % 4 == 0 ? "HEAD" : "GET";
            try {
                judge(octets, method);
            } catch (AssertionError | IOException e) {
                throw new AssertionError("case " + i + ", " + method + ": " + Mutator.escaped(octets), e);
            }
        }
    }

    private static void judge(String octets, String method) throws IOException {
        BENCH.backend.onRequest(connection -> {
            connection.readRequest();
            connection.write(octets);
            connection.close();
        });
        try (RawClient client = BENCH.sidecar().client()) {
            client.send(Messages.request(method + " / HTTP/1.1", "Connection: close"));
            byte[] atClient = client.readToEnd();
            ByteArrayInputStream in = new ByteArrayInputStream(atClient);
            try {
                StrictHttp.response(in, method);
            } catch (EOFException cut) {
                // The client can see that something is missing.
                assertThat(Wire.text(atClient)).startsWith("HTTP/1.1 ").contains("\r\n\r\n");
            }
            assertThat(in.available())
                    .as("behind the response: %s", Wire.text(atClient))
                    .isZero();
            // what the sidecar does about the rest of this case is done before the next one begins
            BENCH.sidecar().barrier();
        }
    }
}

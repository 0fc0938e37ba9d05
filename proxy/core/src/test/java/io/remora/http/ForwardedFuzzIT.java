package io.remora.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Contract;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Lists of hops as whoever likes may send them, before a route that sets fields by what was made of them: what reaches the endpoint is
 * well formed, and its last hop is the one that the sidecar has seen. The client is at 127.0.0.1.
 */
@Contract
final class ForwardedFuzzIT {
    private static final long SEED = Long.getLong("remora.fuzz.seed", 7_239);
    private static final int CASES = 600;
    private static final String[] NAMES = {
        "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded", "x-forwarded-for", "X_Forwarded_For",
    };
    private static final String[] PIECES = {
        "10.0.0.1",
        "127.0.0.1",
        "6.6.6.6",
        "[::1]",
        "::1",
        "[fd00::1]:80",
        "10.0.0.1:99999",
        "1.2.3",
        "unknown",
        "_hidden",
        "for=",
        "for=\"",
        "\"",
        "\\",
        "\\\"",
        ";",
        ",",
        ", ",
        ",,",
        " ",
        "\t",
        "by=",
        "host=a",
        "proto=https",
        "=",
        "%0d%0a",
        "\u00e4",
        "\u0001",
        "\u007f",
        "\r\n",
        "\r\n ",
        "\r",
        "\n",
        "\0",
        "{client}",
        "x".repeat(300),
        "1".repeat(40),
    };

    private final RecordingBackend backend = RecordingBackend.start();

    @AfterEach
    void close() {
        backend.close();
        assertThat(backend.problems()).isEmpty();
    }

    private Sidecar with(String listener) {
        return Sidecar.start(Setup.before(backend)
                .process("log-level: error")
                .listener(listener)
                .rules("cluster: app, request-headers: "
                        + "{set: {X-Client: '{client}', X-Hop: 'a={client};b'}, append: {X-Peers: '{peer}'}}"));
    }

    /** A few fields, each of a few pieces. */
    private static String request(Random random) {
        StringBuilder request = new StringBuilder("GET / HTTP/1.1\r\nHost: app\r\nConnection: close\r\n");
        for (int field = random.nextInt(4); field >= 0; field--) {
            request.append(NAMES[random.nextInt(NAMES.length)]).append(": ");
            for (int piece = random.nextInt(5); piece > 0; piece--) {
                request.append(PIECES[random.nextInt(PIECES.length)]);
            }
            request.append("\r\n");
        }
        return request.append("\r\n").toString();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            value = {
                "headers: {x-forwarded-for: append} # .*(^|, )127\\.0\\.0\\.1 # ''",
                "headers: {x-forwarded-for: replace} # 127\\.0\\.0\\.1 # ''",
                "'trust: {cidrs: [127.0.0.0/8, 10.0.0.0/8]}' # .*(^|, )127\\.0\\.0\\.1 # ''",
                "'trust: {cidrs: [192.0.2.0/24]}' # 127\\.0\\.0\\.1 # ''",
                "'headers: {forwarded: append}' # .*(^|, )127\\.0\\.0\\.1 # .*(^|, )for=127\\.0\\.0\\.1[!-~]*",
                "'headers: {forwarded: replace}' # .*(^|, )127\\.0\\.0\\.1 # for=127\\.0\\.0\\.1[!-~]*",
                "'trust: {hops: 2, field: forwarded}\nheaders: {forwarded: append}' # .* # .*(^|, )for=127\\.0\\.0\\.1[!-~]*",
            })
    void whatReachesTheEndpointIsWellFormed(String listener, String hops, String forwarded) throws IOException {
        Random random = new Random(SEED);
        int passed = 0;
        try (Sidecar sidecar = with(listener)) {
            for (int i = 0; i < CASES; i++) {
                String request = request(random);
                try (RawClient client = sidecar.client()) {
                    RawResponse response = client.send(request).response();
                    assertThat(response.status()).as(request).isIn(200, 400, 431);
                    passed += response.status() == 200 ? 1 : 0;
                }
            }
            sidecar.awaitIdle();
            List<RawRequest> requests = backend.requests();
            assertThat(requests).hasSize(passed).hasSizeBetween(CASES / 10, CASES - 1);
            for (RawRequest request : requests) {
                judge(request, hops, forwarded);
            }
        }
    }

    private static void judge(RawRequest request, String hops, String forwarded) {
        assertThat(String.join(", ", request.fields().all("X-Forwarded-For"))).matches(all -> all.matches(hops));
        if (!forwarded.isEmpty()) {
            assertThat(String.join(", ", request.fields().all("Forwarded"))).matches(all -> all.matches(forwarded));
        }
        for (String name : List.of("X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded")) {
            assertThat(request.fields().all(name)).allMatch(value -> value.matches("[\\t -~\u0080-\u00ff]*"));
        }
        // an address, or what a hop calls itself; never a second element, nor anything that ends the first
        String client = "[0-9a-f.:]{3,45}|unknown|_[A-Za-z0-9._-]+";
        assertThat(request.fields().all("X-Client")).singleElement().matches(value -> value.matches(client));
        assertThat(request.fields().all("X-Hop"))
                .singleElement()
                .matches(value -> value.matches("a=(" + client + ");b"));
        assertThat(request.fields().all("X-Peers")).containsExactly("127.0.0.1");
    }
}

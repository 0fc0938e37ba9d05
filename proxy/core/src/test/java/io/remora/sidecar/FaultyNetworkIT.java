package io.remora.sidecar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.remora.testkit.Await;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import io.remora.testkit.StrictHttp;
import io.remora.testkit.Toxiproxy;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A network between two sidecars that is slow, cuts, slices and swallows: to the first one it is between itself and its
 * endpoint, to the second one between a client and itself. A request has its own answer or none, and knows soon.
 */
final class FaultyNetworkIT {
    private static final int CLIENTS = 4;
    private static final int REQUESTS = 10;
    private static final int BODY = 10_000;

    /** Well beyond every bound that is set below. */
    private static final int HANGS_MS = 20_000;

    /** How long anything is waited for, where all of it comes, and where some does not. */
    private static final String LONG = "10s";

    private static final String SHORT = "1s";

    @TempDir
    Path directory;

    private final RecordingBackend backend = RecordingBackend.start().onRequest(FaultyNetworkIT::echo);
    private final List<String> unanswered = new CopyOnWriteArrayList<>();
    private Toxiproxy network;
    private Sidecar first;
    private Sidecar second;

    /** What a request is answered with, and what it has for a body: its own path, again and again. */
    private static byte[] content(String path) {
        return Wire.bytes((path + '|').repeat(BODY / (path.length() + 1)));
    }

    private static void echo(BackendConnection connection) throws IOException {
        RawRequest request = connection.readRequest();
        byte[] content = content(request.target());
        boolean good = request.body().length == 0 || Arrays.equals(request.body(), content);
        byte[] answer = good ? content : Wire.bytes("another body");
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + answer.length + "\r\n\r\n");
        connection.write(answer);
    }

    @BeforeEach
    void start() {
        assumeTrue(Toxiproxy.missing().isEmpty(), Toxiproxy.missing());
        network = Toxiproxy.start(directory);
    }

    @AfterEach
    void stop() {
        if (first != null) {
            first.close();
            second.close();
        }
        if (network != null) {
            network.close();
        }
        backend.close();
    }

    private void between(String protocol, String wait) {
        boolean tcp = protocol.equals("tcp");
        String waits = "timeouts: { connect: 1s" + (tcp ? " }" : ", response-header: " + wait + " }");
        String listener =
                "timeouts: { " + (tcp ? "idle: " : "body-idle: ") + wait + " }" + (tcp ? "\nprotocol: tcp" : "");
        second = Sidecar.start(Setup.before(backend)
                .process("via: second")
                .listener(tcp ? listener : listener + "\nprotocol: " + protocol)
                .cluster(tcp ? "protocol: tcp" : ""));
        int port = network.before(second.address());
        first = Sidecar.start(Setup.at(port)
                .process("via: first")
                .listener(listener)
                .cluster("protocol: " + protocol + "\n" + waits));
    }

    /** How many of the requests had an answer. */
    private int run(int round) {
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Future<Integer>> all = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                String name = "/" + round + "/" + i + "/";
                all.add(clients.submit(() -> requests(name)));
            }
            int answered = 0;
            for (Future<Integer> one : all) {
                answered += one.get();
            }
            return answered;
        } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError(e);
        } finally {
            clients.shutdown();
        }
    }

    private int requests(String name) throws IOException {
        int answered = 0;
        RawClient client = null;
        for (int i = 0; i < REQUESTS; i++) {
            if (client == null) {
                client = first.client().readTimeoutMs(HANGS_MS);
            }
            boolean has = isAnswered(client, name + i, i % 2 == 0);
            answered += has ? 1 : 0;
            if (!has) {
                client.close();
                client = null;
            }
        }
        if (client != null) {
            client.close();
        }
        return answered;
    }

    /** Whatever comes is this request's: the whole answer, its beginning, a failure that is said, or an end. */
    private boolean isAnswered(RawClient client, String path, boolean withBody) {
        byte[] content = content(path);
        String head = (withBody ? "POST " : "GET ") + path + " HTTP/1.1\r\nHost: app\r\n";
        try {
            client.send(head + (withBody ? "Content-Length: " + content.length + "\r\n\r\n" : "\r\n"));
            if (withBody) {
                client.send(content);
            }
            RawResponse answer = client.responseHead();
            if (answer.status() != 200) {
                assertThat(answer.status()).as(answer.toString()).isIn(408, 502, 503, 504);
                assertThat(answer.field("Remora-Error")).isNotNull();
                unanswered.add(path + ' ' + answer);
                return false;
            }
            byte[] body = client.input().readNBytes(content.length);
            assertThat(Wire.text(body)).isEqualTo(Wire.text(Arrays.copyOf(content, body.length)));
            return body.length == content.length;
        } catch (SocketTimeoutException hangs) {
            throw new AssertionError(path + " has no answer and no end", hangs);
        } catch (StrictHttp.Violation broken) {
            throw new AssertionError(path, broken);
        } catch (IOException ended) {
            unanswered.add(path + ' ' + ended);
            return false;
        }
    }

    private static Stream<Arguments> with(String... toxics) {
        return Stream.of("http1", "http2", "tcp").flatMap(protocol -> Stream.of(toxics)
                .map(toxic -> toxic.split("; "))
                .map(toxic -> Arguments.of(protocol, toxic[0], toxic[1])));
    }

    static Stream<Arguments> slowOnes() {
        return with(
                "latency; \"latency\": 20, \"jitter\": 15",
                "slicer; \"average_size\": 50, \"size_variation\": 40, \"delay\": 20",
                "bandwidth; \"rate\": 2000");
    }

    static Stream<Arguments> cuttingOnes() {
        return with(
                "limit_data; \"bytes\": 30000",
                "limit_data; \"bytes\": 700",
                "reset_peer; \"timeout\": 25",
                "timeout; \"timeout\": 50",
                "slow_close; \"delay\": 100");
    }

    @ParameterizedTest(name = "{0}, {1} {2}")
    @MethodSource("slowOnes")
    void isSlow(String protocol, String toxic, String attributes) {
        between(protocol, LONG);
        network.poison(toxic, attributes);
        int answered = run(1);
        assertThat(answered).as(unanswered.toString()).isEqualTo(CLIENTS * REQUESTS);
    }

    @ParameterizedTest(name = "{0}, {1} {2}")
    @MethodSource("cuttingOnes")
    void cuts(String protocol, String toxic, String attributes) {
        between(protocol, SHORT);
        run(1);
        network.poison(toxic, attributes);
        run(2);
        network.heal();
        recovers();
    }

    static Stream<Arguments> silentOnes() {
        return with("timeout; \"timeout\": 0");
    }

    /** What is sent is lost, and nobody is told. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("silentOnes")
    void swallows(String protocol, String toxic, String attributes) {
        between(protocol, SHORT);
        int answered = run(1);
        assertThat(answered).as(unanswered.toString()).isEqualTo(CLIENTS * REQUESTS);
        network.poison(toxic, attributes);
        assertThat(requestIsLost()).isTrue();
        network.heal();
        recovers();
    }

    private boolean requestIsLost() {
        try (RawClient client = first.client().readTimeoutMs(HANGS_MS)) {
            return !isAnswered(client, "/lost", false);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Connections that were made in bad times may be found to be dead first. */
    private void recovers() {
        Await.until("all are served", () -> run(3) == CLIENTS * REQUESTS);
    }
}

package io.remora.loadtest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.Channel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class BackendTest {
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private @Nullable Channel listener;

    @AfterEach
    void stop() throws InterruptedException {
        if (listener != null) {
            listener.close().sync();
        }
    }

    private void start(String... arguments) throws InterruptedException {
        listener = Backend.listen(BackendOptions.read(arguments));
    }

    private HttpResponse<String> send(String path, BodyPublisher body, boolean expectContinue)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
                .method(body.contentLength() == 0 ? "GET" : "POST", body)
                .expectContinue(expectContinue)
                .build();
        return client.send(request, BodyHandlers.ofString());
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send(path, BodyPublishers.noBody(), false);
    }

    @Test
    void answersEveryPathWithABodyOfTheSize() throws Exception {
        start("--body", "3KiB");
        HttpResponse<String> answer = get("/any?path=1");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).hasSize(3 * 1024);
        assertThat(answer.headers().firstValue("content-type")).hasValue("text/plain");
        assertThat(answer.headers().firstValue("content-length")).hasValue("3072");
    }

    @Test
    void answersWithAsManyBytesAsARequestAsksFor() throws Exception {
        start("--body", "3KiB");
        for (int bytes : new int[] {0, 1, 65_536, 65_537, 1_000_000}) {
            RecordedRequest request = RecordedRequest.read("http GET /any app.test 0 " + bytes + " 2");
            try (Connection connection = new Connection(port(), id -> request.http1(), null)) {
                assertThat(connection.get("1")).isEqualTo(200);
                assertThat(connection.field("content-length")).isEqualTo(Integer.toString(bytes));
                // all of the answer has arrived, as the next one is read behind it
                assertThat(connection.get("2")).isEqualTo(200);
            }
        }
        assertThat(get("/").body()).hasSize(3 * 1024);
    }

    @Test
    void answersAnEmptyBody() throws Exception {
        start("--body", "0");
        assertThat(get("/").body()).isEmpty();
    }

    @Test
    void readsBodiesOfRequests() throws Exception {
        start();
        BodyPublisher unsized = BodyPublishers.fromPublisher(BodyPublishers.ofByteArray(new byte[300_000]));
        for (BodyPublisher body : List.of(BodyPublishers.ofByteArray(new byte[300_000]), unsized)) {
            assertThat(send("/", body, false).statusCode()).isEqualTo(200);
            assertThat(send("/", body, true).body()).hasSize(1024);
        }
    }

    @Test
    void countsWhatItServed() throws Exception {
        start();
        assertThat(get("/served").body()).isEqualTo("1");
        get("/");
        get("/");
        assertThat(get("/served").body()).isEqualTo("4");
    }

    @Test
    void failsTheShareAtFixedPlaces() throws Exception {
        start("--error-share", "0.25");
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            statuses.add(get("/").statusCode());
        }
        assertThat(statuses).containsExactly(200, 200, 200, 500, 200, 200, 200, 500);
    }

    @Test
    void delaysByATimerAndNotTheOthers() throws Exception {
        start("--delay", "100ms");
        long startNs = System.nanoTime();
        FixedRateLoad.Result result = FixedRateLoad.onPort(port(), "/", 20, 20).run(0, 1_000_000_000);
        long tookNs = System.nanoTime() - startNs;
        assertThat(result.failed()).isZero();
        assertThat(result.latencies().getTotalCount()).isEqualTo(20);
        assertThat(result.latencies().getMinValue()).isGreaterThanOrEqualTo(95_000_000);
        // One after the other they would take two seconds.
        assertThat(tookNs).isLessThan(1_900_000_000);
    }

    @Test
    void listensOnEachOfItsAddressesAndTellsThemApart() throws Exception {
        start("--addresses", "127.0.0.1,127.0.0.2", "--identify", "true");
        for (String address : List.of("127.0.0.1", "127.0.0.2")) {
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + address + ":" + port()))
                    .build();
            HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
            assertThat(answer.headers().firstValue("x-backend")).hasValue(address + ":" + port());
        }
        assertThat(get("/served").body()).isEqualTo("3");
    }

    @Test
    void doesNotIdentifyItselfUnasked() throws Exception {
        start();
        assertThat(get("/").headers().firstValue("x-backend")).isEmpty();
    }

    private int port() {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    @Test
    void readsItsOptions() {
        assertThat(BackendOptions.read("--port", "81", "--body", "2MiB", "--delay", "0.5ms", "--error-share", "0.01"))
                .isEqualTo(new BackendOptions(81, List.of("127.0.0.1"), 2 << 20, 500_000, 10_000, false, null));
        assertThat(BackendOptions.read("--addresses", "127.0.0.1,127.0.0.2", "--identify", "true"))
                .isEqualTo(new BackendOptions(0, List.of("127.0.0.1", "127.0.0.2"), 1024, 0, 0, true, null));
        for (String[] wrong : new String[][] {
            {"--body"},
            {"--body", "-1"},
            {"--delay", "5"},
            {"--delay", "-1ms"},
            {"--error-share", "1.5"},
            {"--size", "1"}
        }) {
            assertThatThrownBy(() -> BackendOptions.read(wrong)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}

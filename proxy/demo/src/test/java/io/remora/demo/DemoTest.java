package io.remora.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class DemoTest {
    private final HttpClient client = HttpClient.newHttpClient();
    private Demo demo;

    @BeforeEach
    void start() throws IOException {
        demo = Demo.start(0);
    }

    @AfterEach
    void stop() {
        demo.stop();
    }

    @Test
    void greets() throws Exception {
        HttpResponse<String> response = send(request("/").build());
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo("Hello from the demo application.\n");
    }

    @Test
    void knowsNothingElse() throws Exception {
        assertThat(send(request("/nothing").build()).statusCode()).isEqualTo(404);
    }

    @Test
    void tellsWhatArrived() throws Exception {
        HttpResponse<String> response =
                send(request("/echo?a=b").header("X-Trace", "42").DELETE().build());
        assertThat(response.body().lines()).startsWith("DELETE /echo?a=b").contains("X-trace: 42");
    }

    @Test
    void countsABody() throws Exception {
        HttpRequest upload = request("/upload")
                .POST(BodyPublishers.ofByteArray(new byte[100_000]))
                .build();
        assertThat(send(upload).body()).isEqualTo("100000 bytes\n");
    }

    @Test
    void answersHeadWithoutABody() throws Exception {
        HttpRequest head = request("/").method("HEAD", BodyPublishers.noBody()).build();
        HttpResponse<String> response = send(head);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEmpty();
    }

    private HttpRequest.Builder request(String target) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + demo.port() + target));
    }

    private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return client.send(request, BodyHandlers.ofString());
    }
}

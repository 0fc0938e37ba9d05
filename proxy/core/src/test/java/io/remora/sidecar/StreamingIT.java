package io.remora.sidecar;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.Pattern;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.SidecarProcess;
import io.remora.testkit.Stand;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bodies far larger than the heap that they pass through, every octet looked at. */
@Contract
final class StreamingIT {
    private static final long HUGE = 1L << 30;
    private static final long LARGE = 128L << 20;

    @TempDir
    private static Path directory;

    private static RecordingBackend backend;
    private static SidecarProcess sidecar;

    @BeforeAll
    static void start() throws IOException {
        backend = RecordingBackend.start();
        sidecar = SidecarProcess.start(directory, backend, List.of(), List.of("-Xmx16m"), "");
    }

    @AfterAll
    static void stop() throws IOException {
        backend.close();
        sidecar.endsWell();
    }

    /** Sends in the background what the other side takes only as fast as it likes. */
    private static CompletableFuture<Void> send(RawClient client, String head, long length, boolean chunked) {
        return CompletableFuture.runAsync(() -> {
            try {
                client.send(head);
                if (chunked) {
                    Pattern.writeChunked(client::send, length, "");
                } else {
                    Pattern.write(client::send, length);
                }
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
    }

    private static String post(long length) {
        return "POST / HTTP/1.1\r\nHost: app\r\nContent-Length: " + length + "\r\n\r\n";
    }

    private static String chunkedPost() {
        return "POST / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n";
    }

    private static void upload(long length, boolean chunked) throws Exception {
        backend.onRequest(connection -> {
            RawRequest head = connection.readHead();
            assertThat(head.fields().has("Transfer-Encoding")).isEqualTo(chunked);
            if (chunked) {
                Pattern.checkChunked(new BufferedInputStream(connection.input(), 1 << 16), length);
            } else {
                assertThat(head.field("Content-Length")).isEqualTo(Long.toString(length));
                Pattern.check(connection.input(), length);
            }
            connection.write(RecordingBackend.OK);
        });
        try (RawClient client = sidecar.client()) {
            CompletableFuture<Void> sent = send(client, chunked ? chunkedPost() : post(length), length, chunked);
            client.readTimeoutMs(60_000);
            assertThat(client.response().bodyText()).isEqualTo("ok");
            sent.get(1, TimeUnit.SECONDS);
        }
        assertThat(backend.problems()).isEmpty();
    }

    private static void download(long length, boolean chunked) throws IOException {
        backend.onRequest(connection -> {
            connection.readRequest();
            if (chunked) {
                connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
                Pattern.writeChunked(connection::write, length, "X-Sum: 1\r\n");
            } else {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n");
                Pattern.write(connection::write, length);
            }
        });
        try (RawClient client = sidecar.client()) {
            assertThat(client.send(Stand.GET).responseHead().status()).isEqualTo(200);
            if (chunked) {
                assertThat(Pattern.checkChunked(client.input(), length)).isEqualTo("X-Sum: 1\r\n");
            } else {
                Pattern.check(client.input(), length);
            }
        }
        assertThat(backend.problems()).isEmpty();
    }

    @Test
    void uploadsAGibibyte() throws Exception {
        upload(HUGE, false);
    }

    @Test
    void uploadsChunks() throws Exception {
        upload(LARGE, true);
    }

    @Test
    void downloadsAGibibyteInChunks() throws IOException {
        download(HUGE, true);
    }

    @Test
    void downloadsALength() throws IOException {
        download(LARGE, false);
    }

    /** Both directions of one exchange at once: neither waits for the other's end. */
    @Test
    void goesBothWaysAtOnce() throws Exception {
        backend.onRequest(connection -> {
            connection.readHead();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + LARGE + "\r\n\r\n");
            InputStream in = connection.input();
            byte[] some = new byte[1 << 16];
            for (long left = LARGE; left > 0; ) {
                int count = in.read(some, 0, (int) Math.min(some.length, left));
                connection.write(java.util.Arrays.copyOf(some, count));
                left -= count;
            }
        });
        try (RawClient client = sidecar.client()) {
            CompletableFuture<Void> sent = send(client, post(LARGE), LARGE, false);
            assertThat(client.responseHead().status()).isEqualTo(200);
            Pattern.check(client.input(), LARGE);
            sent.get(1, TimeUnit.SECONDS);
        }
        assertThat(backend.problems()).isEmpty();
    }

    /** Many at once, each larger than the heap. */
    @Test
    void uploadsManyAtOnce() throws Exception {
        long length = 24L << 20;
        backend.onRequest(connection -> {
            connection.readHead();
            Pattern.check(connection.input(), length);
            connection.write(RecordingBackend.OK);
        });
        List<RawClient> clients =
                java.util.stream.Stream.generate(sidecar::client).limit(16).toList();
        clients.forEach(client -> send(client, post(length), length, false));
        for (RawClient client : clients) {
            assertThat(client.readTimeoutMs(60_000).response().bodyText()).isEqualTo("ok");
            client.close();
        }
        assertThat(backend.problems()).isEmpty();
        Await.until("the sidecar is well", sidecar::isAlive);
    }
}

package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Pattern;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.SidecarProcess;
import io.remora.testkit.Stand;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Bodies far larger than the heaps that they pass through, every octet looked at: three sidecars in a row, the first one from
 * HTTP/1.1 to HTTP/2, the second one from HTTP/2 to HTTP/2, the last one from HTTP/2 to HTTP/1.1.
 */
final class Http2LargeBodiesIT {
    private static final long HUGE = 1L << 30;

    /** Above what each has taken before the first body: buffers, and what is compiled meanwhile. */
    private static final long GROWTH = 40L << 20;

    private static final int PATIENCE_MS = 60_000;
    // a busy machine may take longer to connect than the second of the default
    private static final String TO_HTTP1 = "timeouts: { connect: 30s }";
    private static final String TO_HTTP2 = "protocol: http2\n" + TO_HTTP1;
    private static final String FROM_HTTP2 = "protocol: http2";

    @TempDir
    private static Path directory;

    private static RecordingBackend backend;
    private static final List<SidecarProcess> ROW = new ArrayList<>();
    private static final List<Long> AT_FIRST = new ArrayList<>();

    @BeforeAll
    static void start() throws IOException {
        backend = RecordingBackend.start();
        add(Setup.before(backend).listener(FROM_HTTP2).cluster(TO_HTTP1));
        add(Setup.at(last().address().getPort()).listener(FROM_HTTP2).cluster(TO_HTTP2));
        add(Setup.at(last().address().getPort()).cluster(TO_HTTP2));
        try (RawClient client = last().client()) {
            assertThat(client.send(Stand.GET).response().bodyText()).isEqualTo("ok");
        }
        ROW.forEach(sidecar -> AT_FIRST.add(sidecar.memoryBytes("VmRSS")));
    }

    private static void add(Setup setup) throws IOException {
        Path own = Files.createDirectory(directory.resolve(Integer.toString(ROW.size())));
        setup.process("log-level: info\nvia: row-" + ROW.size());
        ROW.add(SidecarProcess.start(own, List.of(), List.of("-Xmx16m"), setup));
    }

    private static SidecarProcess last() {
        return ROW.get(ROW.size() - 1);
    }

    @AfterAll
    static void stop() {
        backend.close();
        // from the client's side on, so that nobody loses a backend
        Collections.reverse(ROW);
        ROW.forEach(SidecarProcess::endsWell);
    }

    private static void keepToTheirMemory() {
        for (int i = 0; i < ROW.size(); i++) {
            long most = ROW.get(i).memoryBytes("VmHWM");
            assertThat(most - AT_FIRST.get(i)).as("sidecar %s", i).isLessThan(GROWTH);
        }
    }

    private static CompletableFuture<Void> send(RawClient client, boolean chunked) {
        String head = "POST / HTTP/1.1\r\nHost: app\r\n";
        return CompletableFuture.runAsync(() -> {
            try {
                if (chunked) {
                    client.send(head + "Transfer-Encoding: chunked\r\n\r\n");
                    Pattern.writeChunked(client::send, HUGE, "x-sum: 1\r\n");
                } else {
                    client.send(head + "Content-Length: " + HUGE + "\r\n\r\n");
                    Pattern.write(client::send, HUGE);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private static void upload(boolean chunked) throws Exception {
        backend.onRequest(connection -> {
            assertThat(connection.readHead().fields().has("Transfer-Encoding")).isEqualTo(chunked);
            if (chunked) {
                String trailers = Pattern.checkChunked(new BufferedInputStream(connection.input(), 1 << 16), HUGE);
                assertThat(trailers).isEqualTo("x-sum: 1\r\n");
            } else {
                Pattern.check(connection.input(), HUGE);
            }
            connection.write(RecordingBackend.OK);
        });
        try (RawClient client = last().client().readTimeoutMs(PATIENCE_MS)) {
            CompletableFuture<Void> sent = send(client, chunked);
            assertThat(client.response().bodyText()).isEqualTo("ok");
            sent.get(1, TimeUnit.SECONDS);
        }
        assertThat(backend.problems()).isEmpty();
        keepToTheirMemory();
    }

    @Test
    void uploadsALength() throws Exception {
        upload(false);
    }

    @Test
    void uploadsChunks() throws Exception {
        upload(true);
    }

    @Test
    void downloadsALength() throws IOException {
        backend.onRequest(connection -> {
            connection.readRequest();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + HUGE + "\r\n\r\n");
            Pattern.write(connection::write, HUGE);
        });
        try (RawClient client = last().client()) {
            assertThat(client.send(Stand.GET).responseHead().status()).isEqualTo(200);
            Pattern.check(client.input(), HUGE);
        }
        assertThat(backend.problems()).isEmpty();
        keepToTheirMemory();
    }

    @Test
    void downloadsChunks() throws IOException {
        backend.onRequest(connection -> {
            connection.readRequest();
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            Pattern.writeChunked(connection::write, HUGE, "X-Sum: 1\r\n");
        });
        try (RawClient client = last().client()) {
            assertThat(client.send(Stand.GET).responseHead().status()).isEqualTo(200);
            assertThat(Pattern.checkChunked(client.input(), HUGE)).isEqualToIgnoringCase("x-sum: 1\r\n");
        }
        assertThat(backend.problems()).isEmpty();
        keepToTheirMemory();
    }
}

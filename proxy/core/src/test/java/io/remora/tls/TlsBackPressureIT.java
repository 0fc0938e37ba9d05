package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Certificates;
import io.remora.testkit.Count;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Who does not read holds up who sends, through TLS as well, and costs the sidecar its buffers only. */
@EveryEngine
final class TlsBackPressureIT {
    private static final int PIECE = 1 << 16;
    private static final int PIECES = 1_024;
    /** What the kernel's buffers of two connections grow to, and more. */
    private static final long MOST_IN_BETWEEN = 32 << 20;

    private static final long MOST_DIRECT = 2 << 20;

    @RegisterExtension
    static final Certificates TLS = new Certificates();

    private static SSLSocket connect(Sidecar sidecar) throws IOException, GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new Anybody()}, null);
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket();
        socket.setReceiveBufferSize(PIECE);
        socket.setSoTimeout(Await.TIMEOUT_MS);
        socket.connect(sidecar.address());
        return socket;
    }

    /** Trusts whoever is there. */
    private static final class Anybody implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    /** Returns once nobody moves any more. */
    private static void awaitStill(Sidecar sidecar, AtomicLong moved) {
        AtomicLong seen = new AtomicLong(-1);
        Await.until("still", () -> {
            for (int i = 0; i < 50; i++) {
                sidecar.barrier();
            }
            return moved.get() > 0 && seen.getAndSet(moved.get()) == moved.get();
        });
    }

    private static void assertBounded(Sidecar sidecar, AtomicLong moved) {
        assertThat(moved.get()).isLessThan(MOST_IN_BETWEEN);
        assertThat(sidecar.count(Count.DIRECT_MEMORY_BYTES)).isLessThan(MOST_DIRECT);
    }

    private static byte[] piece(int number) {
        byte[] piece = new byte[PIECE];
        for (int i = 0; i < PIECE; i++) {
            piece[i] = (byte) (number + i * 7);
        }
        return piece;
    }

    private static void readPieces(InputStream in) throws IOException {
        for (int i = 0; i < PIECES; i++) {
            assertThat(in.readNBytes(PIECE)).isEqualTo(piece(i));
        }
    }

    private static void writePieces(OutputStream out, AtomicLong written) throws IOException {
        for (int i = 0; i < PIECES; i++) {
            out.write(piece(i));
            written.addAndGet(PIECE);
        }
        out.flush();
    }

    @Test
    void aClientThatDoesNotReadHoldsUpTheBackend() throws Exception {
        AtomicLong written = new AtomicLong();
        try (RecordingBackend backend = RecordingBackend.start()) {
            backend.onRequest(connection -> {
                connection.readRequest();
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + (long) PIECE * PIECES + "\r\n\r\n");
                for (int i = 0; i < PIECES; i++) {
                    connection.write(piece(i));
                    written.addAndGet(PIECE);
                }
            });
            try (Sidecar sidecar = TLS.listening(backend, "", "server");
                    SSLSocket client = connect(sidecar)) {
                client.getOutputStream()
                        .write("GET / HTTP/1.1\r\nHost: app\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                awaitStill(sidecar, written);
                assertBounded(sidecar, written);
                InputStream in = client.getInputStream();
                StringBuilder head = new StringBuilder();
                while (head.indexOf("\r\n\r\n") < 0) {
                    head.append((char) in.read());
                }
                readPieces(in);
            }
        }
    }

    @Test
    void aBackendThatDoesNotReadHoldsUpTheClient() throws Exception {
        CountDownLatch mayRead = new CountDownLatch(1);
        AtomicLong written = new AtomicLong();
        try (RecordingBackend backend = RecordingBackend.start()) {
            backend.onAccept(connection -> connection.waitFor(() -> await(mayRead)));
            backend.onRequest(connection -> {
                connection.readHead();
                readPieces(connection.input());
                connection.write(RecordingBackend.OK);
            });
            try (Sidecar sidecar = TLS.listening(backend, "", "server");
                    SSLSocket client = connect(sidecar)) {
                Thread writer = new Thread(() -> post(client, written), "writer");
                writer.start();
                awaitStill(sidecar, written);
                assertBounded(sidecar, written);
                mayRead.countDown();
                assertThat(new String(client.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                        .isEqualTo("HTTP/1.1 200");
                writer.join(Await.TIMEOUT_MS);
            }
        }
    }

    private static void post(SSLSocket client, AtomicLong written) {
        try {
            String head = "POST / HTTP/1.1\r\nHost: app\r\nContent-Length: " + (long) PIECE * PIECES + "\r\n\r\n";
            client.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            writePieces(client.getOutputStream(), written);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(3L * Await.TIMEOUT_MS, TimeUnit.MILLISECONDS))
                    .isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}

package io.remora.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.Limits;
import io.remora.testkit.Await;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Stand;
import io.remora.testkit.StandardError;
import io.remora.testkit.Wire;
import io.remora.transport.Handshake;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A page whose response takes a while, on a real connection: its failures, and who gets the next turn. */
final class SlowPageIT {
    private static final long STEP_NS = 10_000_000_000L;
    private static final long SHORT_STEP_NS = 300_000_000;
    private static final String REQUEST = "POST /reload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n";

    @RegisterExtension
    final StandardError log = new StandardError();

    private final TestControl control = TestControl.onLoopback();
    private AdminServer server;

    private void start(long stepNs) throws IOException {
        server = new AdminServer(control, Handshake.NONE, stepNs, Limits.VERIFIED_AGE_NS);
    }

    @BeforeEach
    void start() throws IOException {
        start(STEP_NS);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private void serve(SlowPage page, SlowPage.Work work) {
        control.slowPage = then -> page.begin((LaterReply) then, work);
    }

    private RawResponse ask() throws IOException {
        try (RawClient client = RawClient.connect(server.address())) {
            return client.send(REQUEST).response("POST");
        }
    }

    private void logs(String pattern) {
        Await.until(pattern, () -> Pattern.compile(pattern).matcher(log.text()).find());
    }

    /** The JVM has no thread with a stack of this size, as under a limit of processes. */
    @Test
    void aThreadThatDoesNotStartLeavesThePageFree() throws IOException {
        serve(new SlowPage("test", "busy", 1L << 60), turn -> turn.told(200, "made\n"));
        for (int i = 0; i < 2; i++) {
            RawResponse response = ask();
            assertThat(response.status()).isEqualTo(503);
            assertThat(response.bodyText()).contains("unable to create native thread");
        }
        logs("WARN .*test: java.lang.OutOfMemoryError: .*; responding with 503 peer=127\\.0\\.0\\.1:\\d+\n");
    }

    @Test
    void anErrorIsAnsweredAndLogged() throws IOException {
        SlowPage page = new SlowPage("test", "busy");
        serve(page, turn -> {
            throw new StackOverflowError("planted");
        });
        for (int i = 0; i < 2; i++) {
            RawResponse response = ask();
            assertThat(response.status()).isEqualTo(503);
            assertThat(response.bodyText()).isEqualTo("java.lang.StackOverflowError: planted\n");
        }
        serve(page, turn -> {
            throw new IOException("no room");
        });
        assertThat(ask().bodyText()).isEqualTo("no room\n");
        logs("test: no room; responding with 503 peer=");
    }

    @Test
    void anErrorCutsAResponseThatWasBegun() throws IOException {
        serve(new SlowPage("test", "busy"), turn -> {
            StreamedAnswer out = turn.stream(Reply.TEXT);
            out.write(Wire.bytes("begun"));
            out.flush();
            throw new AssertionError("planted");
        });
        try (RawClient client = RawClient.connect(server.address())) {
            String all = Wire.text(client.send(REQUEST).readToEnd());
            assertThat(all).startsWith("HTTP/1.1 200").endsWith("5\r\nbegun\r\n");
        }
        logs("test: java.lang.AssertionError: planted; cutting the response peer=127\\.0\\.0\\.1:\\d+ bytes=5\n");
    }

    @Test
    void aClientThatDoesNotReadIsDisconnectedAfterOneStep() throws IOException {
        server.close();
        start(SHORT_STEP_NS);
        serve(new SlowPage("test", "busy"), turn -> {
            StreamedAnswer out = turn.stream(Reply.TEXT);
            byte[] piece = new byte[1 << 16];
            while (true) {
                out.write(piece);
            }
        });
        try (RawClient client = RawClient.connect(server.address(), 4_096)) {
            client.send(REQUEST);
            logs("test: the client does not read; cutting the response peer=\\S+ bytes=\\d+\n");
        }
    }

    @Test
    void oneRequestAtATimeAndTheNextAsSoonAsTheResponseIsThere() throws IOException {
        CountDownLatch mayEnd = new CountDownLatch(1);
        SlowPage page = new SlowPage("test", "busy");
        serve(page, turn -> {
            StreamedAnswer out = turn.stream(Reply.TEXT);
            out.write('a');
            out.flush();
            Stand.await(mayEnd);
            assertThat(turn.end()).isEqualTo(1);
        });
        try (RawClient first = RawClient.connect(server.address())) {
            first.send(REQUEST);
            assertThat(first.responseHead().status()).isEqualTo(200);
            RawResponse second = ask();
            assertThat(second.status()).isEqualTo(409);
            assertThat(second.bodyText()).isEqualTo("busy\n");
            mayEnd.countDown();
            Wire.text(first.readToEnd());
        }
        for (int i = 0; i < 200; i++) {
            assertThat(ask().status()).isEqualTo(200);
        }
        serve(page, turn -> turn.told(200, "made\n"));
        for (int i = 0; i < 200; i++) {
            assertThat(ask().status()).isEqualTo(200);
        }
    }
}

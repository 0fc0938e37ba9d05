package io.remora.http1;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.Count;
import io.remora.testkit.Failure;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Setup;
import io.remora.testkit.Stand;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Requests sent ahead of the responses before them. */
@Contract
final class PipeliningIT {
    private static final String ASK =
            "GET / HTTP/1.1\r\nHost: app\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";

    @RegisterExtension
    final Stand stand = new Stand();

    private static String get(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: app\r\n\r\n";
    }

    /** Answers with the method, the target and the body. */
    private void echo() {
        stand.backend.onRequest(connection -> {
            RawRequest request = connection.readRequest();
            String text = request.method() + " " + request.target() + " " + request.bodyText();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + text.length() + "\r\n\r\n"
                    + (request.method().equals("HEAD") ? "" : text));
        });
    }

    @Test
    void answersInOrderThoughTheFirstIsSlow() throws IOException {
        AtomicBoolean othersSent = new AtomicBoolean();
        AtomicInteger inOrder = new AtomicInteger();
        stand.backend.onRequest(connection -> {
            String target = connection.readRequest().target();
            if (target.equals("/0")) {
                Await.until("the others are here", othersSent::get);
            }
            assertThat(target).isEqualTo("/" + inOrder.getAndIncrement());
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n" + target);
        });
        RawClient client = stand.client();
        client.send(get("/0") + get("/1") + get("/2"));
        stand.sidecar().barrier();
        othersSent.set(true);
        for (int i = 0; i < 3; i++) {
            assertThat(client.response().bodyText()).isEqualTo("/" + i);
        }
        stand.nothingFailed();
    }

    @Test
    void mixesMethodsBodiesAndFramings() throws IOException {
        echo();
        RawClient client = stand.client();
        client.send("POST /a HTTP/1.1\r\nHost: app\r\nContent-Length: 3\r\n\r\nabc"
                + "HEAD /b HTTP/1.1\r\nHost: app\r\n\r\n"
                + "PUT /c HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ndef\r\n0\r\n\r\n"
                + "\r\n"
                + "DELETE /d HTTP/1.1\r\nHost: app\r\nContent-Length: 0\r\n\r\n"
                + get("/e"));
        assertThat(client.response().bodyText()).isEqualTo("POST /a abc");
        assertThat(client.response("HEAD").field("Content-Length")).isEqualTo("8");
        assertThat(client.response().bodyText()).isEqualTo("PUT /c def");
        assertThat(client.response().bodyText()).isEqualTo("DELETE /d ");
        assertThat(client.response().bodyText()).isEqualTo("GET /e ");
        stand.nothingFailed();
    }

    /**
     * What the sidecar answers itself waits its turn like the rest, and a failure that leaves the connection leaves the
     * pipeline.
     */
    @Test
    void mixesItsOwnResponses() throws IOException {
        stand.start(Setup.before(stand.backend).routes("{ prefix: /app }"));
        echo();
        RawClient client = stand.client();
        client.send((get("/app/1") + get("/none") + get("/none") + get("/app/2")).repeat(50));
        for (int i = 0; i < 50; i++) {
            assertThat(client.response().bodyText()).isEqualTo("GET /app/1 ");
            assertThat(client.response().status()).isEqualTo(404);
            assertThat(client.response().status()).isEqualTo(404);
            assertThat(client.response().bodyText()).isEqualTo("GET /app/2 ");
        }
        stand.counted(Failure.NO_ROUTE, 100);
    }

    @Test
    void answersThousands() throws IOException {
        int requests = 3_000;
        echo();
        RawClient client = stand.client();
        StringBuilder all = new StringBuilder();
        IntStream.range(0, requests).forEach(i -> all.append(get("/" + i)));
        new Thread(() -> client.trySend(Wire.bytes(all.toString()))).start();
        for (int i = 0; i < requests; i++) {
            assertThat(client.response().bodyText()).isEqualTo("GET /" + i + " ");
        }
        assertThat(stand.backend.connections()).hasSize(1);
        stand.nothingFailed();
    }

    /** However small the buffers: they bound what is held, not what is served. */
    @Test
    void answersWithTheLeastOfEverything() throws IOException {
        int requests = 300;
        stand.start("limits: { buffer: 256B, connections: 1, in-flight: 1 }", "max-connections: 1");
        echo();
        RawClient client = stand.client();
        String body = "x".repeat(3_000);
        String post = "POST /p HTTP/1.1\r\nHost: app\r\nContent-Length: 3000\r\n\r\n" + body;
        new Thread(() -> client.trySend(Wire.bytes((get("/g") + post).repeat(requests)))).start();
        for (int i = 0; i < requests; i++) {
            assertThat(client.response().bodyText()).isEqualTo("GET /g ");
            assertThat(client.response().bodyText()).isEqualTo("POST /p " + body);
        }
        stand.nothingFailed();
    }

    @Test
    void answersThousandsItself() throws IOException {
        int requests = 3_000;
        stand.start(Setup.before(stand.backend).routes("{ prefix: /app }"));
        RawClient client = stand.client();
        new Thread(() -> client.trySend(Wire.bytes(GET.repeat(requests)))).start();
        for (int i = 0; i < requests; i++) {
            assertThat(client.response().status()).isEqualTo(404);
        }
        stand.counted(Failure.NO_ROUTE, requests);
    }

    /** A hundred thousand pipelined requests hold at most one buffer of each direction and what the kernels hold. */
    @Test
    void holdsLittleOfAFlood() throws IOException {
        // the second one over a connection that is kept, which is read before it is used: now the loop has all buffers
        // that it shares
        assertThat(stand.get().body()).hasSize(2);
        assertThat(stand.get().body()).hasSize(2);
        stand.backend.reply("HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n\r\n" + "x".repeat(20_000));
        assertThat(stand.get().body()).hasSize(20_000);
        long directBefore = stand.sidecar().count(Count.DIRECT_MEMORY_BYTES);
        RawClient client = stand.narrowClient();
        String padded = "GET / HTTP/1.1\r\nHost: app\r\nX: " + "y".repeat(200) + "\r\n\r\n";
        byte[] hundred = Wire.bytes(padded.repeat(100));
        Thread flood = new Thread(() -> {
            for (int sent = 0; sent < 1_000 && client.trySend(hundred); sent++) {
                // until all is taken or the connection ends
            }
        });
        flood.start();
        long most = mostDirectUntilStandstill() - directBefore;
        assertThat(most).as("direct memory held").isLessThan(256 * 1024);
        assertThat(flood.isAlive()).as("still sending").isTrue();
        client.reset();
        Await.until("let go", () -> stand.sidecar().count(Count.DIRECT_MEMORY_BYTES) <= directBefore);
    }

    /** The most that was allocated until no exchange has begun for many turns of the loop. */
    private long mostDirectUntilStandstill() {
        long most = 0;
        long begun = -1;
        while (begun != stand.sidecar().count(Count.EXCHANGES_STARTED)) {
            begun = stand.sidecar().count(Count.EXCHANGES_STARTED);
            for (int i = 0; i < 200; i++) {
                stand.sidecar().barrier();
                most = Math.max(most, stand.sidecar().count(Count.DIRECT_MEMORY_BYTES));
            }
        }
        return most;
    }

    @Test
    void goesOnBehindAnUpgradeThatIsDeclined() throws IOException {
        stand.backend.onRequest(connection -> {
            RawRequest request = connection.readRequest();
            String status = request.fields().has("Upgrade") ? "400 Bad Request" : "200 OK";
            connection.write("HTTP/1.1 " + status + "\r\nContent-Length: 1\r\n\r\n"
                    + request.target().charAt(1));
        });
        RawClient client = stand.client();
        client.send(
                get("/a") + ASK.replace("GET /", "GET /b") + get("/c") + ASK.replace("GET /", "GET /d") + get("/e"));
        for (String letter : new String[] {"a", "b", "c", "d", "e"}) {
            RawResponse response = client.response();
            assertThat(response.bodyText()).isEqualTo(letter);
            assertThat(response.status()).isEqualTo(letter.equals("b") || letter.equals("d") ? 400 : 200);
        }
        stand.nothingFailed();
    }

    /** Behind an upgrade that is granted, what looks like a request is the tunnel's. */
    @Test
    void belongsToTheTunnelBehindAnUpgradeThatIsGranted() throws IOException {
        stand.backend.onRequest(connection -> {
            if (connection.readRequest().fields().has("Upgrade")) {
                connection.write(
                        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
                connection.write(connection.input().readNBytes(GET.length()));
                connection.close();
            } else {
                connection.write("HTTP/1.1 204 No Content\r\n\r\n");
            }
        });
        RawClient client = stand.client();
        client.send(get("/a") + ASK + GET);
        assertThat(client.response().status()).isEqualTo(204);
        assertThat(client.response().status()).isEqualTo(101);
        assertThat(Wire.text(client.readToEnd())).isEqualTo(GET);
    }

    @Test
    void endsBehindClose() throws IOException {
        echo();
        RawClient client = stand.client();
        client.send(get("/a") + "GET /b HTTP/1.1\r\nHost: app\r\nConnection: close\r\n\r\n"
                + get("/c").repeat(100));
        assertThat(client.response().bodyText()).isEqualTo("GET /a ");
        assertThat(client.response().fields().tokens("Connection")).contains("close");
        assertThat(client.closedByPeer()).isTrue();
        assertThat(stand.sidecar().count(Count.EXCHANGES_STARTED)).isEqualTo(2);
        stand.nothingFailed();
    }

    /** A failure that ends the connection ends the pipeline, and none of it is lost in the reset. */
    @Test
    void endsBehindABackendThatCuts() throws IOException {
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345");
            connection.close();
        });
        RawClient client = stand.client();
        client.send(get("/a") + get("/b"));
        client.responseHead();
        assertThat(client.read(5)).hasSize(5);
        assertThat(client.closedByPeer()).isTrue();
        assertThat(stand.sidecar().count(Count.EXCHANGES_STARTED)).isOne();
        stand.countedOnce(Failure.BACKEND_CLOSED);
    }
}

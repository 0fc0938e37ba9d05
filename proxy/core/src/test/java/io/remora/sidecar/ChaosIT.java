package io.remora.sidecar;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.BackendConnection;
import io.remora.testkit.Contract;
import io.remora.testkit.Crowd;
import io.remora.testkit.Failure;
import io.remora.testkit.Pattern;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Setup;
import io.remora.testkit.Stand;
import io.remora.testkit.StrictHttp;
import io.remora.testkit.Wire;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Clients and backends that behave at random, well and badly, all at once. Whatever they do, a response that arrives is
 * the one to its request, each exchange is counted once, and nothing is left.
 */
@Contract
final class ChaosIT {
    private static final int CLIENTS = 8;
    private static final int CONNECTIONS = 60;

    @RegisterExtension
    final Stand stand = new Stand();

    /** The target says what the backend does; the body says which request it answers. */
    private static void misbehave(BackendConnection connection) throws IOException {
        RawRequest head = connection.readHead();
        String id = head.target();
        String ok = "HTTP/1.1 200 OK\r\nX-Id: " + id + "\r\n";
        switch (Character.digit(id.charAt(1), 16)) {
            case 0 -> connection.reset();
            case 1 -> connection.close();
            case 2 -> endAfter(connection, ok + "Content-Length: 50\r\n\r\n" + id);
            case 3 -> endAfter(connection, ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nabc");
            case 4 -> {
                connection.write("HTTP/1.1 nonsense\r\n\r\n");
                connection.readToEnd();
            }
            case 5 -> {
                // early, and the body is left unread
                connection.write(ok + "Connection: close\r\nContent-Length: " + id.length() + "\r\n\r\n" + id);
                connection.close();
            }
            default -> behave(connection, head, ok, id);
        }
    }

    private static void endAfter(BackendConnection connection, String octets) throws IOException {
        connection.write(octets);
        connection.close();
    }

    private static void behave(BackendConnection connection, RawRequest head, String ok, String id) throws IOException {
        if (head.fields().has("Transfer-Encoding")) {
            Pattern.checkChunked(connection.input(), lengthOf(id));
        } else if (head.fields().has("Content-Length")) {
            Pattern.check(connection.input(), lengthOf(id));
        }
        switch (Character.digit(id.charAt(1), 16)) {
            case 6 -> connection.write(ok + "Content-Length: " + id.length() + "\r\n\r\n" + id + "POISON");
            case 7 ->
                connection.write("HTTP/1.1 103 Early Hints\r\nX-Id: " + id + "\r\n\r\n" + ok
                        + "Transfer-Encoding: chunked\r\n\r\n" + Integer.toHexString(id.length()) + "\r\n" + id
                        + "\r\n0\r\n\r\n");
            case 8 -> endAfter(connection, ok + "\r\n" + id);
            case 9 -> {
                String large = id + "x".repeat(200_000);
                connection.write(ok + "Content-Length: " + large.length() + "\r\n\r\n" + large);
            }
            default -> connection.write(ok + "Content-Length: " + id.length() + "\r\n\r\n" + id);
        }
    }

    /** The size of the request's body is a part of its target too. */
    private static int lengthOf(String id) {
        return Integer.parseInt(id.substring(id.indexOf('L') + 1));
    }

    private String request(SplittableRandom random, int serial) {
        int length = random.nextInt(4) == 0 ? random.nextInt(300_000) : random.nextInt(50);
        String id = "/" + Integer.toHexString(random.nextInt(16)) + "-" + serial + "L" + length;
        StringBuilder text = new StringBuilder();
        int kind = random.nextInt(3);
        text.append(kind == 0 ? "GET " : "POST ").append(id).append(" HTTP/1.1\r\nHost: app\r\n");
        if (random.nextInt(10) == 0) {
            text.append("Connection: close\r\n");
        }
        if (kind == 0) {
            return text.append("\r\n").toString();
        }
        text.append(kind == 1 ? "Content-Length: " + length : "Transfer-Encoding: chunked")
                .append("\r\n\r\n");
        appendBody(text, length, kind == 2);
        return text.toString();
    }

    private static void appendBody(StringBuilder text, int length, boolean chunked) {
        try {
            Pattern.Sink sink = octets -> text.append(Wire.text(octets));
            if (chunked) {
                Pattern.writeChunked(sink, length, "");
            } else {
                Pattern.write(sink, length);
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private void drive(long seed, int thread) {
        SplittableRandom random = new SplittableRandom(seed * 1_000 + thread);
        for (int i = 0; i < CONNECTIONS; i++) {
            try (RawClient client = stand.sidecar().client()) {
                converse(client, random, thread * 1_000_000 + i * 1_000);
            } catch (StrictHttp.Violation e) {
                throw new AssertionError("seed " + seed, e);
            } catch (EOFException | SocketException ended) {
                // one of the ways in which a connection may end
            } catch (IOException e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    /** A few requests, one by one or pipelined; now and then the client leaves in the middle of what it sends. */
    private void converse(RawClient client, SplittableRandom random, int serial) throws IOException {
        int requests = 1 + random.nextInt(4);
        boolean pipelined = random.nextInt(3) == 0;
        List<String> sent = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            String request = request(random, serial + i);
            if (random.nextInt(12) == 0) {
                leave(client, random, request);
                return;
            }
            send(client, random, request);
            sent.add(request.substring(request.indexOf('/'), request.indexOf(" HTTP")));
            if (!pipelined) {
                check(client.response(), sent.remove(0));
            }
        }
        if (random.nextInt(4) == 0) {
            client.shutdownOutputQuietly();
        }
        for (String id : sent) {
            check(client.response(), id);
        }
    }

    private static void send(RawClient client, SplittableRandom random, String request) {
        byte[] octets = Wire.bytes(request);
        int at = random.nextInt(octets.length);
        client.trySend(java.util.Arrays.copyOf(octets, at));
        client.trySend(java.util.Arrays.copyOfRange(octets, at, octets.length));
    }

    private static void leave(RawClient client, SplittableRandom random, String request) throws IOException {
        client.trySend(Wire.bytes(request.substring(0, random.nextInt(request.length()))));
        if (random.nextBoolean()) {
            client.reset();
        }
    }

    private static void check(RawResponse response, String id) {
        if (response.status() != 200) {
            assertThat(response.status()).as(id).isEqualTo(502);
            assertThat(response.field("Remora-Error")).as(id).isIn("backend-closed", "bad-response");
            assertThat(id.charAt(1)).as(id).isBetween('0', '5');
            return;
        }
        assertThat(response.field("X-Id")).isEqualTo(id);
        assertThat(response.bodyText()).startsWith(id).doesNotContain("POISON");
        response.interim().forEach(interim -> assertThat(interim.field("X-Id")).isEqualTo(id));
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 32KiB", "2, 2, 32KiB", "3, 1, 1KiB"})
    void leavesEveryExchangeRight(long seed, int workers, String buffer) throws Exception {
        stand.start(Setup.before(stand.backend)
                .process("workers: " + workers)
                .listener("client-half-close: serve\nlimits: { buffer: " + buffer + " }"));
        stand.backend.onRequest(ChaosIT::misbehave);
        Crowd.of(CLIENTS, thread -> drive(seed, thread));
        stand.sidecar().awaitIdle();
        assertThat(stand.backend.problems())
                .noneMatch(problem -> problem instanceof StrictHttp.Violation || problem instanceof Pattern.Mismatch);
        assertThat(stand.failures(Failure.INTERNAL)).isZero();
        assertThat(stand.responses(2)).isPositive();
        assertThat(stand.failures(Failure.BACKEND_CLOSED)).isPositive();
        assertThat(stand.failures(Failure.CLIENT_GONE)).isPositive();
    }
}

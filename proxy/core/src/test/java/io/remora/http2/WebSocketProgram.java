package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.http2.WebSocketCases.Case;
import io.remora.http2.WebSocketCases.End;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import io.remora.testkit.WebSocketPrograms;
import io.remora.testkit.Wire;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The same octets to servers of WebSockets directly and through the sidecar, from clients and to endpoints of either version: the answers must be
 * the same to the octet, and end. {@code scripts/test-websocket} runs it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class WebSocketProgram {
    private static final String H2 = "protocol: http2\n";
    /** Of a DATA frame, and small enough to come in many pieces. */
    private static final int FRAME_OCTETS = 4_096;

    private static final int PIECE_OCTETS = 7;
    private static final int INITIAL_WINDOW_SIZE = 4;

    @TempDir
    static Path directory;

    private WebSocketPrograms programs;
    private final Map<String, Integer> servers = new TreeMap<>();

    @BeforeAll
    void start() {
        programs = new WebSocketPrograms(directory);
        servers.put("ws", programs.ws());
        servers.put("ws-http2", programs.wsOverHttp2());
        servers.put("websockets", programs.websockets());
        // in HTTP/2 only its handshakes, as it leaves streams open behind the last frame
        int both = programs.hypercorn();
        servers.put("hypercorn", both);
        servers.put("hypercorn-http2", both);
    }

    @AfterAll
    void stop() {
        programs.close();
    }

    private static boolean isHttp2(String server) {
        return server.endsWith("-http2");
    }

    private InetSocketAddress address(String server) {
        return new InetSocketAddress("127.0.0.1", servers.get(server));
    }

    private Sidecar before(String server, boolean http2Clients) {
        return Sidecar.start(
                Setup.at(servers.get(server)).listener(http2Clients ? H2 : "").cluster(isHttp2(server) ? H2 : ""));
    }

    // ---- an open one

    private static String answer(InetSocketAddress address, boolean http2, Case one, int pieceOctets)
            throws IOException {
        return http2 ? byHttp2(address, one, pieceOctets) : byHttp1(address, one, pieceOctets);
    }

    /** Those of Python forget a message when the connection ends right behind it. */
    private static List<Case> casesFor(String server) {
        List<Case> cases = new ArrayList<>(WebSocketCases.all());
        if (!server.startsWith("ws-") && !server.equals("ws")) {
            cases.removeIf(one -> one.how() == End.CLOSE_BEHIND_A_MESSAGE);
        }
        return cases;
    }

    private static byte[] octets(Case one) {
        byte[] last = one.how() == End.NO_CLOSE ? new byte[0] : WebSocketCases.LAST;
        return ByteBuffer.allocate(one.octets().length + last.length)
                .put(one.octets())
                .put(last)
                .array();
    }

    private static List<byte[]> pieces(byte[] octets, int size) {
        List<byte[]> pieces = new ArrayList<>();
        for (int at = 0; at < octets.length; at += size) {
            pieces.add(Arrays.copyOfRange(octets, at, Math.min(octets.length, at + size)));
        }
        return pieces;
    }

    private static String byHttp1(InetSocketAddress address, Case one, int pieceOctets) throws IOException {
        try (RawClient client = RawClient.connect(address)) {
            client.send(WebSocketAsk.PLAIN.http1());
            assertThat(client.responseHead().status()).isEqualTo(101);
            for (byte[] piece : pieces(octets(one), pieceOctets)) {
                client.send(piece);
            }
            if (one.how() == End.NO_CLOSE) {
                return Wire.text(client.shutdownOutput().readToEnd());
            }
            StringBuilder answer = new StringBuilder();
            int octet = 0;
            while (octet >= 0 && answer.indexOf(WebSocketCases.LAST_ECHO) < 0) {
                octet = next(client);
                answer.append(octet < 0 ? "" : (char) octet);
            }
            return octet < 0
                    ? answer.toString()
                    : answer + Wire.text(client.send(WebSocketCases.GOODBYE).readToEnd());
        }
    }

    /** A reset is as much an end as any. */
    private static int next(RawClient client) throws IOException {
        try {
            return client.input().read();
        } catch (SocketException reset) {
            return -1;
        }
    }

    private static String byHttp2(InetSocketAddress address, Case one, int pieceOctets) throws IOException {
        try (FrameClient client = FrameClient.raw(address).begin(INITIAL_WINDOW_SIZE, 1 << 20)) {
            // not before its settings allow it
            client.barrier().headers(1, false, WebSocketAsk.PLAIN.http2());
            assertThat(client.begun(1).status()).isEqualTo(200);
            for (byte[] piece : pieces(octets(one), pieceOctets)) {
                client.data(1, false, piece);
            }
            if (one.how() == End.NO_CLOSE) {
                return client.data(1, true).answer(1).text();
            }
            while (client.so(1).isOpen() && !client.so(1).text().contains(WebSocketCases.LAST_ECHO)) {
                assertThat(client.read()).isNotNull();
            }
            // the end of its side is what some servers wait for
            return client.so(1).isOpen()
                    ? client.data(1, true, WebSocketCases.GOODBYE).answer(1).text()
                    : client.so(1).text();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "ws, false",
        "ws, true",
        "websockets, false",
        "websockets, true",
        "ws-http2, false",
        "ws-http2, true",
        "hypercorn, false",
        "hypercorn, true"
    })
    void answersAreTheSame(String server, boolean http2Clients) throws IOException {
        Map<Case, String> alone = new LinkedHashMap<>();
        Map<Case, String> through = new LinkedHashMap<>();
        int inPieces = 0;
        try (Sidecar sidecar = before(server, http2Clients)) {
            for (Case one : casesFor(server)) {
                String expected = answer(address(server), isHttp2(server), one, FRAME_OCTETS);
                alone.put(one, expected);
                through.put(one, answer(sidecar.address(), http2Clients, one, FRAME_OCTETS));
                // a server that fails in the middle may be gone before the last piece, directly as well
                if (expected.endsWith("bye")) {
                    inPieces++;
                    assertThat(answer(sidecar.address(), http2Clients, one, PIECE_OCTETS))
                            .as(one.name())
                            .isEqualTo(expected);
                }
            }
        }
        assertThat(WebSocketPrograms.differences(through, alone)).isEmpty();
        assertThat(inPieces).isPositive();
        System.out.println("websocket: " + alone.size() + " answers of " + server + " are the same from HTTP/"
                + (http2Clients ? "2" : "1.1") + ", " + inPieces + " of them to octets in small pieces as well");
    }

    // ---- the opening handshake

    private record Opening(int status, Map<String, String> fields, String body) {
        /** What the sidecar makes of a server that ends the connection in the place of an answer. */
        Opening orNoAnswer() {
            return status == NO_ANSWER.status() ? NO_ANSWER : this;
        }

        Opening withoutBody() {
            return new Opening(status, fields, "");
        }
    }

    private static final Opening NO_ANSWER = new Opening(502, Map.of(), "");

    private static final List<String> FIELDS = List.of(
            "sec-websocket-accept", "sec-websocket-extensions", "sec-websocket-protocol", "sec-websocket-version");

    private static Opening openByHttp1(InetSocketAddress address, WebSocketAsk ask) throws IOException {
        try (RawClient client = RawClient.connect(address).send(ask.http1())) {
            RawResponse head;
            try {
                head = client.responseHead();
            } catch (EOFException ended) {
                return NO_ANSWER;
            }
            Map<String, String> fields = new TreeMap<>();
            for (String field : FIELDS) {
                if (head.field(field) != null) {
                    fields.put(field, String.join(", ", head.fields().all(field)));
                }
            }
            String length = head.field("content-length");
            String body = length == null ? "" : Wire.text(client.read(Integer.parseInt(length)));
            return new Opening(head.status(), fields, body);
        }
    }

    private static Opening openByHttp2(InetSocketAddress address, WebSocketAsk ask) throws IOException {
        try (FrameClient client = FrameClient.connect(address)) {
            client.barrier().headers(1, false, ask.http2());
            FrameClient.Answer answer = client.begun(1);
            if (answer.sections.isEmpty()) {
                return NO_ANSWER;
            }
            Map<String, String> fields = new TreeMap<>(answer.sections.get(0));
            fields.keySet().retainAll(FIELDS);
            boolean open = answer.status() == 200;
            return new Opening(
                    open ? 101 : answer.status(),
                    fields,
                    open ? "" : client.answer(1).text());
        }
    }

    /** What the two versions have in common. */
    private static Opening withoutAccept(Opening opening) {
        Map<String, String> fields = new TreeMap<>(opening.fields());
        fields.remove("sec-websocket-accept");
        return new Opening(opening.status(), fields, opening.body());
    }

    @ParameterizedTest
    @CsvSource({"ws", "websockets", "hypercorn"})
    void handshakesAreTheSameInHttp1(String server) throws IOException {
        Map<WebSocketAsk, Opening> alone = new LinkedHashMap<>();
        Map<WebSocketAsk, Opening> through = new LinkedHashMap<>();
        try (Sidecar sidecar = before(server, false)) {
            for (WebSocketAsk ask : WebSocketAsk.inBoth()) {
                alone.put(ask, openByHttp1(address(server), ask));
                through.put(ask, openByHttp1(sidecar.address(), ask).orNoAnswer());
            }
            // some ask for nothing, and go on without what else they say of it; a server may tell in words what it
            // misses
            for (WebSocketAsk ask : WebSocketAsk.ofHttp1()) {
                alone.put(ask, openByHttp1(address(server), ask).withoutBody());
                through.put(
                        ask, openByHttp1(sidecar.address(), ask).orNoAnswer().withoutBody());
            }
        }
        same(server, "HTTP/1.1", through, alone);
    }

    @ParameterizedTest
    @CsvSource({
        "ws, true",
        "websockets, true",
        "hypercorn, true",
        "ws-http2, false",
        "ws-http2, true",
        "hypercorn-http2, true"
    })
    void handshakesAreTheSameAcrossVersions(String server, boolean http2Clients) throws IOException {
        Map<WebSocketAsk, Opening> alone = new LinkedHashMap<>();
        Map<WebSocketAsk, Opening> through = new LinkedHashMap<>();
        try (Sidecar sidecar = before(server, http2Clients)) {
            for (WebSocketAsk ask : WebSocketAsk.inBoth()) {
                alone.put(ask, withoutAccept(open(address(server), isHttp2(server), ask)));
                through.put(
                        ask,
                        withoutAccept(open(sidecar.address(), http2Clients, ask).orNoAnswer()));
            }
        }
        same(server, http2Clients ? "HTTP/2" : "HTTP/1.1", through, alone);
    }

    private static Opening open(InetSocketAddress address, boolean http2, WebSocketAsk ask) throws IOException {
        return http2 ? openByHttp2(address, ask) : openByHttp1(address, ask);
    }

    private static void same(
            String server, String version, Map<WebSocketAsk, Opening> through, Map<WebSocketAsk, Opening> alone) {
        assertThat(WebSocketPrograms.differences(through, alone)).isEmpty();
        System.out.println(
                "websocket: " + alone.size() + " handshakes with " + server + " are the same from " + version);
    }
}

package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.channel.EventLoop;
import io.remora.config.model.ProxyConfig;
import io.remora.memory.MemoryCosts;
import io.remora.memory.MemoryPlan;
import io.remora.memory.Plans;
import io.remora.seams.SeamStand;
import io.remora.serving.Memory;
import io.remora.serving.ProcessFiles;
import io.remora.serving.Seams;
import io.remora.testkit.Await;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.Pki;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.StandardError;
import io.remora.tls.openssl.OpenSslProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What TLS connections weigh in the memory budget: that it is counted, bounded, and given back. */
@EveryEngine
final class TlsMemoryIT {
    private static final int CONNECTIONS = 200;
    private static final int MANY = 1 << 20;
    private static final String FAILURES = "remora_tls_handshake_failures_total";

    @TempDir
    static Path directory;

    private static Pki pki;

    @RegisterExtension
    final StandardError standardError = new StandardError();

    private final RecordingBackend backend = RecordingBackend.start().replyOk();
    private final List<RawClient> clients = new ArrayList<>();
    private final List<SSLSocket> sockets = new ArrayList<>();

    @BeforeAll
    static void certificates() {
        pki = new Pki(directory).authority("ca").issue("ca", "server", "DNS:localhost");
    }

    @AfterEach
    void close() throws IOException {
        clients.forEach(RawClient::close);
        closeAll();
        backend.close();
    }

    private void closeAll() throws IOException {
        for (SSLSocket socket : sockets) {
            socket.close();
        }
        sockets.clear();
    }

    private SeamStand start(int handshakes) {
        return start(handshakes, "");
    }

    private SeamStand start(int handshakes, String lines) {
        return start(handshakes, lines, 256L << 20);
    }

    /** Starts a stand with a pool of 4 MiB, of which a sixteenth holds 64 silent connections. */
    private SeamStand startSmall(int handshakes, String lines) {
        return start(handshakes, lines, 4L << 20);
    }

    private SeamStand start(int handshakes, String lines, long poolBytes) {
        return start(handshakes, "", lines, poolBytes);
    }

    private SeamStand start(int handshakes, String tls, String lines, long poolBytes) {
        ProxyConfig config = SeamStand.config(pki.listener(tls, "server") + "\n" + lines, "", backend.port());
        ProcessFiles files = new ProcessFiles();
        MemoryCosts costs = Memory.costs(config, files);
        MemoryPlan plan = new MemoryPlan(Plans.NO_LIMIT, 0, poolBytes, 0, 1 << 20, MANY, MANY, handshakes, costs);
        return SeamStand.start(new Seams(), files, plan, config);
    }

    private static SSLSocket connect(SeamStand stand) throws Exception {
        return connect(stand, "127.0.0.1", "");
    }

    /**
     * @param header in plain text before the handshake
     */
    private static SSLSocket connect(SeamStand stand, String source, String header) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new Anybody()}, null);
        Socket plain =
                new Socket(stand.address().getAddress(), stand.address().getPort(), InetAddress.getByName(source), 0);
        plain.getOutputStream().write(header.getBytes(StandardCharsets.US_ASCII));
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(plain, "localhost", 0, true);
        socket.setSoTimeout(Await.TIMEOUT_MS);
        socket.startHandshake();
        return socket;
    }

    private void open(SeamStand stand, int count) throws Exception {
        for (int i = 0; i < count; i++) {
            sockets.add(connect(stand));
        }
        Await.until("open", () -> stand.metric("remora_frontend_connections_active") == count);
    }

    @Test
    void connectionsAreReservedForAndGivenBack() throws Exception {
        try (SeamStand stand = start(MANY)) {
            open(stand, CONNECTIONS);
            long reserved = stand.metric("remora_memory_tls_reserved_bytes");
            assertThat(reserved).isPositive();
            assertThat(stand.metric("remora_memory_reserved_bytes")).isGreaterThan(reserved);
            assertThat(stand.metric("remora_memory_handshakes")).isZero();
            assertThat(stand.page("/memory")).contains("pool_reserved_tls_bytes " + reserved + "\n");
            closeAll();
            Await.until("closed", () -> stand.metric("remora_memory_reserved_bytes") == 0);
            assertThat(stand.metric("remora_memory_tls_reserved_bytes")).isZero();
        }
    }

    /** What OpenSSL counts rises with each connection, no further than is reserved for it, and falls to where it was. */
    @Test
    void whatOpenSslAllocatesIsWithinWhatIsReserved() throws Exception {
        assumeThat(OpenSslProvider.load()).isNotNull();
        try (SeamStand stand = start(MANY)) {
            // what it makes at its first handshakes
            open(stand, 5);
            closeAll();
            Await.until("closed", () -> stand.metric("remora_memory_reserved_bytes") == 0);
            long before = stand.metric("remora_memory_openssl_bytes");
            open(stand, CONNECTIONS);
            long more = stand.metric("remora_memory_openssl_bytes") - before;
            assertThat(more / CONNECTIONS)
                    .as("of a connection")
                    .isBetween(1_024L, stand.metric("remora_memory_tls_reserved_bytes") / CONNECTIONS);
            assertThat(stand.page("/memory")).contains("openssl_bytes ");
            closeAll();
            Await.until("closed", () -> stand.metric("remora_memory_reserved_bytes") == 0);
            assertThat(stand.metric("remora_memory_openssl_bytes") - before).isLessThan(more / 20);
        }
    }

    /** A burst of one client, such as of an ingress that starts, finds its handshakes done one after another. */
    @Test
    void handshakesBeyondTheBoundWait() throws Exception {
        try (SeamStand stand = start(2)) {
            List<Thread> threads = new ArrayList<>();
            List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
            long began = System.nanoTime();
            for (int i = 0; i < 12; i++) {
                Thread thread = new Thread(() -> {
                    try (SSLSocket one = connect(stand)) {
                        one.getOutputStream()
                                .write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                        assertThat(one.getInputStream().read()).isEqualTo('H');
                    } catch (Throwable e) {
                        failures.add(e);
                    }
                });
                threads.add(thread);
                thread.start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            long cut = stand.metric("remora_memory_handshakes_cut_total");
            // only a machine that stood still for a second has given one of them its time
            if (System.nanoTime() - began < 1_000_000_000) {
                assertThat(cut).isZero();
            }
            assertThat(failures).hasSize((int) cut);
            Await.until("given back", () -> stand.metric("remora_memory_reserved_bytes") == 0);
        }
    }

    /** Clients that stop in their handshakes keep a client that waits for as long as they have their time. */
    @Test
    void handshakesThatHaveHadTheirTimeMakeRoom() throws Exception {
        try (SeamStand stand = start(4)) {
            for (int i = 0; i < 4; i++) {
                clients.add(RawClient.connect(stand.address()).send(new byte[] {22, 3, 1}));
                int begun = i + 1;
                Await.until("under way", () -> stand.metric("remora_memory_handshakes") == begun);
            }
            long full = stand.metric("remora_memory_reserved_bytes");
            try (RawClient waiting = RawClient.connect(stand.address()).send(new byte[] {22, 3, 1})) {
                Await.until(
                        "waits",
                        () -> stand.metric("remora_memory_reserved_bytes") > full
                                || stand.metric("remora_memory_handshakes_cut_total") > 0);
                assertThat(stand.metric("remora_memory_reserved_bytes") - full).isLessThanOrEqualTo(8 << 10);
                assertThat(clients.get(0).closedByPeer()).as("the longest").isTrue();
                awaitCutForMemory(stand, 1);
                assertThat(standardError.text()).contains("TLS handshake failed: there is not enough memory\n");
                assertThat(waiting.readTimeoutMs(100).closedByPeer()).isFalse();
            }
            sockets.add(connect(stand));
            clients.forEach(RawClient::close);
            closeAll();
            Await.until("given back", () -> stand.metric("remora_memory_handshakes") == 0);
            Await.until("all of it", () -> stand.metric("remora_memory_reserved_bytes") == 0);
        }
    }

    /** Waits for handshakes that make room, none of which counts as slow. */
    private static void awaitCutForMemory(SeamStand stand, int count) {
        Await.until("counted", () -> stand.metric(FAILURES, "reason=\"memory\"") == count);
        assertThat(stand.metric("remora_memory_handshakes_cut_total")).isEqualTo(count);
        assertThat(stand.metric(FAILURES)).isEqualTo(count);
    }

    /** Silent connections make room for a client that speaks, as every client of TLS does at once. */
    @Test
    void silentConnectionsTakeNoHandshakes() throws Exception {
        try (SeamStand stand = startSmall(4, "")) {
            for (int i = 0; i < 64; i++) {
                clients.add(RawClient.connect(stand.address()));
            }
            Await.until("silent", () -> stand.metric("remora_memory_handshakes") == 64);
            assertThat(stand.metric("remora_memory_tls_reserved_bytes")).isZero();
            sockets.add(connect(stand));
            assertThat(clients.get(0).closedByPeer()).as("the longest").isTrue();
            assertThat(clients.get(1).readTimeoutMs(100).closedByPeer()).isFalse();
            awaitCutForMemory(stand, 1);
            assertThat(standardError.text()).as("of a probe").doesNotContain("not enough memory");
            clients.forEach(RawClient::close);
            closeAll();
            Await.until("given back", () -> stand.metric("remora_memory_reserved_bytes") == 0);
        }
    }

    /** Octets that begin no record need no state of TLS: they take no place of a handshake, and wait for none. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: app\r\n\r\n",
                "\u0000\u0001\u0002",
                "\u0016\u0002\u0001\u0000\u0001\u0000"
            })
    void octetsThatBeginNoRecordTakeNoHandshake(String octets) throws Exception {
        try (SeamStand stand = start(2)) {
            for (int i = 0; i < 4; i++) {
                assertRefused(octets, stand);
            }
            assertThat(stand.metric("remora_memory_tls_reserved_bytes")).isZero();
            RawClient first = RawClient.connect(stand.address()).send(new byte[] {22, 3, 1});
            RawClient second = RawClient.connect(stand.address()).send(new byte[] {22, 3, 1});
            clients.add(first);
            clients.add(second);
            Await.until("the refused ones stay", () -> stand.metric("remora_memory_handshakes") == 6);
            assertRefused(octets, stand);
            assertThat(stand.metric("remora_memory_handshakes_cut_total")).isZero();
            assertThat(first.readTimeoutMs(100).closedByPeer()).isFalse();
            assertThat(stand.metric(FAILURES)).isEqualTo(5);
            clients.forEach(RawClient::close);
            Await.until("given back", () -> stand.metric("remora_memory_reserved_bytes") == 0);
        }
    }

    private void assertRefused(String octets, SeamStand stand) throws IOException {
        boolean http = octets.startsWith("GET");
        long before = stand.metric(FAILURES, http ? "plain-http" : "protocol");
        RawClient client = RawClient.connect(stand.address()).send(octets);
        clients.add(client);
        if (http) {
            assertThat(client.response().status()).isEqualTo(400);
        }
        // fatal, protocol_version
        byte[] alert = {21, 3, 1, 0, 2, 2, 70};
        assertThat(client.readToEnd()).isEqualTo(octets.startsWith("\u0016") ? alert : new byte[0]);
        assertThat(stand.metric(FAILURES, http ? "plain-http" : "protocol")).isEqualTo(before + 1);
    }

    /** Holds a loop until the latch is open. */
    private static CountDownLatch hold(EventLoop loop) {
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch held = new CountDownLatch(1);
        loop.execute(() -> {
            held.countDown();
            Await.open(goOn);
        });
        Await.open(held);
        return goOn;
    }

    /** Makes each turn longer than a client needs to speak; returns how long the longest one was, in nanoseconds. */
    private static AtomicLong slowTurns(EventLoop loop) {
        AtomicLong longestNs = new AtomicLong();
        AtomicLong lastNs = new AtomicLong();
        loop.scheduleAtFixedRate(
                () -> {
                    LockSupport.parkNanos(20_000_000);
                    long nowNs = System.nanoTime();
                    long beforeNs = lastNs.getAndSet(nowNs);
                    longestNs.accumulateAndGet(beforeNs == 0 ? 0 : nowNs - beforeNs, Math::max);
                },
                0,
                1,
                TimeUnit.MILLISECONDS);
        return longestNs;
    }

    /** Octets that have come and were not read yet are read before their connection would make room. */
    @Test
    void aBurstBeyondASingleTurnIsRead() throws Exception {
        try (SeamStand stand = startSmall(MANY, "")) {
            CountDownLatch goOn = hold(stand.loops().get(0).eventLoop());
            for (int i = 0; i < 300; i++) {
                clients.add(RawClient.connect(stand.address()).send(new byte[] {22, 3, 1}));
            }
            goOn.countDown();
            Await.until("all of them", () -> stand.metric("remora_memory_handshakes") == 300);
            assertThat(stand.metric("remora_memory_handshakes_cut_total")).isZero();
            clients.forEach(RawClient::close);
            Await.until("given back", () -> stand.metric("remora_memory_handshakes") == 0);
        }
    }

    /** Newcomers that have waited in a long backlog leave if they are silent, and not those that were there before. */
    @Test
    void silentConnectionsOfALongBacklogLeaveAtOnce() throws Exception {
        try (SeamStand stand = startSmall(MANY, "")) {
            EventLoop loop = stand.loops().get(0).eventLoop();
            CountDownLatch goOn = hold(loop);
            AtomicLong longestNs = slowTurns(loop);
            // batches of 64; the last one has room
            for (int i = 0; i < 200; i++) {
                RawClient client = RawClient.connectFrom(i == 100 ? "127.0.0.2" : "127.0.0.1", stand.address());
                clients.add(i == 101 ? client.send(new byte[] {22, 3, 1}) : client);
            }
            goOn.countDown();
            Await.until("all of them", () -> stand.metric("remora_memory_handshakes_cut_total") >= 1 + 126 + 8);
            // a machine that stood still may have emptied the backlog between two batches
            assumeThat(longestNs.get()).isLessThan(200_000_000);
            // client 0 for client 100, the other silent ones from 64 to 191, and 1 to 8 for the last eight
            assertThat(stand.metric("remora_memory_handshakes_cut_total")).isEqualTo(1 + 126 + 8);
            assertThat(stand.metric("remora_memory_handshakes")).isEqualTo(65);
            for (int i : new int[] {0, 8, 64, 191}) {
                assertThat(clients.get(i).closedByPeer()).as("client %d", i).isTrue();
            }
            for (int i : new int[] {9, 63, 100, 101, 192, 199}) {
                assertThat(clients.get(i).readTimeoutMs(100).closedByPeer())
                        .as("client %d", i)
                        .isFalse();
            }
        }
    }

    /** Clients that have one connection each, as all over a Unix socket, do not have most: the longest makes room. */
    @Test
    void aSilentClientOfItsOwnIsNotTurnedAwayByALongBacklog() throws Exception {
        try (SeamStand stand = startSmall(MANY, "")) {
            EventLoop loop = stand.loops().get(0).eventLoop();
            CountDownLatch goOn = hold(loop);
            slowTurns(loop);
            for (int i = 0; i < 128; i++) {
                clients.add(RawClient.connectFrom("127.0.1." + (i + 1), stand.address()));
            }
            goOn.countDown();
            Await.until("cut", () -> stand.metric("remora_memory_handshakes_cut_total") == 64);
            assertThat(clients.get(63).closedByPeer()).isTrue();
            assertThat(clients.get(64).readTimeoutMs(100).closedByPeer()).isFalse();
        }
    }

    /** More octets than a client's first flight has are not kept for it. */
    @Test
    void octetsThatWaitAreBounded() throws Exception {
        try (SeamStand stand = start(1)) {
            clients.add(RawClient.connect(stand.address()).send(new byte[] {22, 3, 1}));
            Await.until("under way", () -> stand.metric("remora_memory_tls_reserved_bytes") > 0);
            byte[] large = new byte[20 << 10];
            large[0] = 22;
            large[1] = 3;
            try (RawClient more = RawClient.connect(stand.address()).send(large)) {
                assertThat(more.closedByPeer()).isTrue();
            }
            assertThat(stand.metric(FAILURES, "reason=\"memory\"")).isPositive();
            assertThat(stand.metric(FAILURES, "reason=\"busy\"")).isZero();
            assertThat(standardError.text())
                    .contains("failed: there is not enough memory: with a first flight of more than 16384 octets\n");
            clients.forEach(RawClient::close);
            Await.until("given back", () -> stand.metric("remora_memory_reserved_bytes") == 0);
        }
    }

    /** A crowd that comes back all the time has no handshake that is old; another client is served at once. */
    @Test
    void handshakesOfOneClientMakeRoomForAnother() throws Exception {
        try (SeamStand stand = start(8)) {
            for (int round = 0; round < 5; round++) {
                for (int i = 0; i < 12; i++) {
                    clients.add(
                            RawClient.connectFrom("127.0.0.1", stand.address()).send(new byte[] {22, 3, 1}));
                }
                Await.until("full", () -> stand.metric("remora_memory_handshakes") == 8);
                sockets.add(connect(stand, "127.0.0.2", ""));
                clients.forEach(RawClient::close);
                clients.clear();
                Await.until("over", () -> stand.metric("remora_memory_handshakes") == 0);
            }
            closeAll();
        }
    }

    /** A handshake that is cut for memory leaves its listener's number, too. */
    @Test
    void aNewcomerCutsASingleHandshake() throws Exception {
        try (SeamStand stand = start(4, "handshakes-in-flight: 4", "", 256L << 20)) {
            for (int i = 0; i < 4; i++) {
                clients.add(RawClient.connect(stand.address()).send(new byte[] {22, 3, 1}));
            }
            Await.until("full", () -> stand.metric("remora_memory_handshakes") == 4);
            sockets.add(connect(stand, "127.0.0.2", ""));
            assertThat(clients.get(0).closedByPeer()).isTrue();
            awaitCutForMemory(stand, 1);
            assertThat(clients.get(1).readTimeoutMs(100).closedByPeer()).isFalse();
        }
    }

    /** Otherwise a slow client would lose its handshake to one that floods. */
    @Test
    void theClientWithMostHandshakesLosesItsOwn() throws Exception {
        try (SeamStand stand = start(8);
                RawClient slow =
                        RawClient.connectFrom("127.0.0.2", stand.address()).send(new byte[] {22, 3, 1})) {
            Await.until("under way", () -> stand.metric("remora_memory_handshakes") == 1);
            for (int i = 0; i < 7; i++) {
                clients.add(RawClient.connectFrom("127.0.0.1", stand.address()).send(new byte[] {22, 3, 1}));
            }
            Await.until("full", () -> stand.metric("remora_memory_handshakes") == 8);
            // behind the time that each may have
            Await.until("one of its own makes room", () -> {
                try (RawClient more = RawClient.connectFrom("127.0.0.1", stand.address())) {
                    more.send(new byte[] {22, 3, 1});
                    return clients.get(0).readTimeoutMs(100).closedByPeer();
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            assertThat(slow.readTimeoutMs(100).closedByPeer()).isFalse();
        }
    }

    /** A proxy in front of all says whom each of them comes from. */
    @Test
    void clientsBehindTheProxyProtocolHaveHandshakesOfTheirOwn() throws Exception {
        try (SeamStand stand = start(8, "proxy-protocol: { from: [ 127.0.0.1/32 ] }\n")) {
            for (int i = 0; i < 12; i++) {
                clients.add(RawClient.connect(stand.address())
                        .send("PROXY TCP4 10.0.0.1 10.0.0.9 1000 443\r\n\u0016\u0003\u0001"));
            }
            Await.until("full", () -> stand.metric("remora_memory_handshakes") == 8);
            sockets.add(connect(stand, "127.0.0.1", "PROXY TCP4 10.0.0.2 10.0.0.9 1000 443\r\n"));
        }
    }

    /** At the bound, a burst of one client behind a proxy waits, and does not cut what has only begun. */
    @Test
    void aBurstBehindTheProxyProtocolKeepsItsHandshakes() throws Exception {
        try (SeamStand stand = start(8, "proxy-protocol: { from: [ 127.0.0.1/32 ] }\n")) {
            long began = System.nanoTime();
            for (int i = 0; i < 8; i++) {
                clients.add(halfOpenFor("10.0.0.1", stand));
            }
            Await.until("full", () -> stand.metric("remora_memory_handshakes") == 8);
            try (RawClient waiting = halfOpenFor("10.0.0.1", stand)) {
                Await.until(
                        "waits",
                        () -> stand.metric("remora_memory_handshakes") == 9
                                || stand.metric("remora_memory_handshakes_cut_total") > 0);
                long cut = stand.metric("remora_memory_handshakes_cut_total");
                // a machine that stood still for a second has given the first of them its time
                if (System.nanoTime() - began < 1_000_000_000) {
                    assertThat(cut).isZero();
                }
                assertThat(clients.get(0).closedByPeer()).as("after its time").isTrue();
                Await.until("one for the other", () -> stand.metric("remora_memory_handshakes") == 8);
                assertThat(stand.metric("remora_memory_handshakes_cut_total")).isOne();
                assertThat(waiting.readTimeoutMs(100).closedByPeer()).isFalse();
            }
            clients.forEach(RawClient::close);
            Await.until("over", () -> stand.metric("remora_memory_handshakes") == 0);
        }
    }

    /** A connection whose header has not come cuts nobody, and finds room; the client that the header names decides. */
    @Test
    void aConnectionWithoutItsHeaderCutsNobody() throws Exception {
        try (SeamStand stand = start(8, "proxy-protocol: { from: [ 127.0.0.1/32 ] }\n")) {
            for (int i = 0; i < 8; i++) {
                clients.add(halfOpenFor("10.0.0.1", stand));
            }
            Await.until("full", () -> stand.metric("remora_memory_handshakes") == 8);
            try (RawClient other = RawClient.connect(stand.address())) {
                Await.until("waits", () -> stand.metric("remora_memory_handshakes") == 9);
                assertThat(stand.metric("remora_memory_handshakes_cut_total")).isZero();
                other.send("PROXY TCP4 10.0.0.2 10.0.0.9 1000 443\r\n\u0016\u0003\u0001");
                Await.until("one of the other client is cut", () -> stand.metric("remora_memory_handshakes") == 8);
                assertThat(stand.metric("remora_memory_handshakes_cut_total")).isOne();
                assertThat(clients.get(0).closedByPeer()).isTrue();
                assertThat(other.readTimeoutMs(100).closedByPeer()).isFalse();
            }
            clients.forEach(RawClient::close);
            Await.until("given back", () -> stand.metric("remora_memory_handshakes") == 0);
            Await.until("all of it", () -> stand.metric("remora_memory_reserved_bytes") == 0);
        }
    }

    /** Headers that do not come take no place of those that have, and do not keep others out for long. */
    @Test
    void connectionsWithoutTheirHeaderMakeRoom() throws Exception {
        String from = "proxy-protocol: { from: [ 127.0.0.1/32, 127.0.0.2/32 ] }\n";
        try (SeamStand stand = startSmall(8, from)) {
            for (int i = 0; i < 100; i++) {
                clients.add(RawClient.connectFrom("127.0.0.2", stand.address()));
            }
            Await.until("bounded", () -> stand.metric("remora_memory_handshakes_cut_total") == 36);
            assertThat(stand.metric("remora_memory_handshakes")).isEqualTo(64);
            assertThat(standardError.text())
                    .contains("; memory was short before its PROXY header came\n")
                    .doesNotContain("in time");
            sockets.add(connect(stand, "127.0.0.1", "PROXY TCP4 10.0.0.2 10.0.0.9 1000 443\r\n"));
            clients.forEach(RawClient::close);
            Await.until("over", () -> stand.metric("remora_memory_handshakes") == 0);
        }
    }

    private static RawClient halfOpenFor(String client, SeamStand stand) throws IOException {
        return RawClient.connect(stand.address())
                .send("PROXY TCP4 " + client + " 10.0.0.9 1000 443\r\n\u0016\u0003\u0001");
    }

    /** Takes any certificate. */
    private static final class Anybody implements X509TrustManager {
        @Override
        public void checkClientTrusted(java.security.cert.X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(java.security.cert.X509Certificate[] chain, String type) {}

        @Override
        public java.security.cert.X509Certificate[] getAcceptedIssuers() {
            return new java.security.cert.X509Certificate[0];
        }
    }
}

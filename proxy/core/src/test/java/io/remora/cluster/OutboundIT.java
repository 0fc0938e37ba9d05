package io.remora.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.remora.Proxy;
import io.remora.config.model.ConfigException;
import io.remora.seams.Examples;
import io.remora.seams.SeamStand;
import io.remora.serving.Seams;
import io.remora.testkit.Await;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.Knot;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One outbound listener before many peers: a cluster for each host that requests name. */
@EveryEngine
final class OutboundIT {
    private static final String HERE = "a 0 IN A 127.0.0.1\nb 0 IN A 127.0.0.1\nc 0 IN A 127.0.0.1\n";
    private static final String NEVER = "1h";

    @TempDir
    Path directory;

    private final List<RecordingBackend> backends = new ArrayList<>();
    private Knot knot;

    @BeforeEach
    void needsAServer() {
        assumeTrue(Knot.missing().isEmpty(), Knot.missing());
    }

    @AfterEach
    void close() {
        backends.forEach(RecordingBackend::close);
        if (knot != null) {
            knot.close();
        }
    }

    private RecordingBackend backend(String body) {
        RecordingBackend backend = RecordingBackend.start();
        backend.reply("HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
        backends.add(backend);
        return backend;
    }

    private void zone(String records) {
        knot = Knot.start(directory, records);
    }

    private String yaml(int maxHosts, String ttl, String more) {
        return """
                workers: 2
                listeners:
                  - name: test
                    address: "127.0.0.1:0"
                    routes: [{cluster-from: host, cluster: peers}]
                clusters:
                  peers:
                    template: {hosts: ["*.test"], max-hosts: MAX, host-ttl: TTL}
                    resolver:
                      dns: {name: "{host}.", port: "{port}", servers: ["127.0.0.1:DNS"], min-refresh: 50ms, max-refresh: 200ms}
                      pending-timeout: 500ms
                MORE""".replace("MAX", "" + maxHosts)
                .replace("TTL", ttl)
                .replace("DNS", "" + knot.port())
                .replace("MORE", more.indent(4));
    }

    private SeamStand stand(int maxHosts, String ttl, String more) {
        return stand(yaml(maxHosts, ttl, more));
    }

    private static SeamStand stand(String yaml) {
        return SeamStand.start(new Seams(), SeamStand.config(yaml));
    }

    private static RawResponse ask(SeamStand stand, String host) {
        try (RawClient client = RawClient.connect(stand.address())) {
            return client.send("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n").response();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void refused(RawResponse response, int status, String failure) {
        assertThat(response.status()).isEqualTo(status);
        assertThat(response.field("Remora-Error")).isEqualTo(failure);
    }

    private static long hosts(SeamStand stand) {
        return stand.metric("remora_template_hosts");
    }

    private static long events(SeamStand stand, String event) {
        return stand.metric("remora_template_hosts_total", '"' + event + '"');
    }

    private static long lookups() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("remora-dns-peers@"))
                .count();
    }

    /** What is said of the host's cluster, on any page. */
    private static void assertNothingIsLeftOf(SeamStand stand) {
        Await.until("no series is left", () -> !stand.page("/metrics").contains("peers@"));
        assertThat(stand.page("/clusters"))
                .startsWith("peers source=template hosts=0 ")
                .doesNotContain("peers@");
        Await.until("nobody asks any more", () -> lookups() == 0);
    }

    // ---- hosts and their clusters

    @Test
    void eachHostHasAClusterOfItsOwn() {
        RecordingBackend one = backend("one");
        RecordingBackend two = backend("two");
        zone(HERE);
        try (SeamStand stand = stand(10, NEVER, "")) {
            for (int i = 0; i < 3; i++) {
                assertThat(ask(stand, "a.test:" + one.port()).bodyText()).isEqualTo("one");
                assertThat(ask(stand, "b.test:" + two.port()).bodyText()).isEqualTo("two");
            }
            assertThat(hosts(stand)).isEqualTo(2);
            assertThat(events(stand, "created")).isEqualTo(2);
            assertThat(stand.page("/clusters"))
                    .startsWith("peers source=template hosts=2 max_hosts=10\n")
                    .contains("\npeers@a.test:" + one.port() + " source=dns:a.test.:" + one.port() + " state=bound ")
                    .contains("\npeers@b.test:" + two.port() + " source=dns:b.test.:" + two.port() + " state=bound ");
            assertThat(stand.page("/clusters?format=json"))
                    .startsWith(
                            "{\"clusters\":[{\"name\":\"peers\",\"source\":\"template\",\"hosts\":2,\"max_hosts\":10,"
                                    + "\"endpoints\":[]},{\"name\":\"peers@a.test:" + one.port() + "\",");
            assertThat(stand.metric("remora_backend_connects_total", "\"peers@a.test:" + one.port() + '"'))
                    .isPositive();
            assertThat(two.requests()).allMatch(request -> request.field("Host").equals("b.test:" + two.port()));
        }
    }

    @Test
    void aHostIsTheSameInEverySpelling() throws IOException {
        RecordingBackend one = backend("one");
        zone(HERE);
        try (SeamStand stand = stand(10, NEVER, "")) {
            for (String host : List.of("a.test", "A.Test", "a.test.", "A.TEST.")) {
                assertThat(ask(stand, host + ":" + one.port()).bodyText()).isEqualTo("one");
            }
            // as a client with a proxy asks
            String absolute = "GET http://a.test:" + one.port() + "/x HTTP/1.1\r\nHost: ignored.test\r\n\r\n";
            assertThat(stand.client().send(absolute).response().bodyText()).isEqualTo("one");
            assertThat(events(stand, "created")).isOne();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "test",
                ".test",
                "a.test.evil",
                "a.tests",
                "atest",
                "a..test",
                "..test",
                "a.test..",
                "-a.test",
                "a-.test",
                "a%2etest",
                "a%00.test",
                "a;b.test",
                "a'b.test",
                "{host}.test",
                "a/b.test",
                "a\\b.test",
                "user@a.test",
                "127.0.0.1",
                "127.1",
                "2130706433",
                "0x7f.0.0.1.test.0x7f",
                "[::1]",
                "[::ffff:127.0.0.1]",
                "[::1%25lo].test",
                "a.test:0",
                "a.test:70000",
                "a.test:8x",
                "a.test:-1",
                "*.test",
            })
    void whatFitsNoPatternIsNotThere(String host) {
        zone(HERE);
        try (SeamStand stand = stand(10, NEVER, "")) {
            RawResponse response = ask(stand, host);
            assertThat(response.field("Remora-Error")).isIn("no-route", "bad-request");
            assertThat(response.status()).isIn(400, 404);
            assertThat(events(stand, "created")).isZero();
            assertThat(stand.page("/metrics")).doesNotContain("peers@");
        }
    }

    @Test
    void aNameThatIsTooLongIsNotThere() {
        zone(HERE);
        try (SeamStand stand = stand(10, NEVER, "")) {
            refused(ask(stand, "a".repeat(64) + ".test"), 404, "no-route");
            String long253 = ("a".repeat(61) + ".").repeat(4) + "test";
            assertThat(long253).hasSize(252);
            refused(ask(stand, long253 + ":1"), 503, "no-endpoint");
            refused(ask(stand, "xx" + long253 + ":1"), 404, "no-route");
            assertThat(events(stand, "created")).isOne();
        }
    }

    /** A client that invents hosts gets no warnings of the log for each of them. */
    @Test
    void inventedHostsShareTheBoundOfWarnings() {
        zone(HERE);
        PrintStream standardError = System.err;
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
        try (SeamStand stand = stand(20, NEVER, "")) {
            for (int i = 0; i < 12; i++) {
                refused(ask(stand, "invented" + i + ".test:80"), 503, "no-endpoint");
            }
            assertThat(events(stand, "created")).isEqualTo(12);
            assertThat(log.toString(StandardCharsets.UTF_8)
                            .lines()
                            .filter(line -> line.contains("cluster peers@invented")))
                    .hasSize(5);
        } finally {
            System.setErr(standardError);
        }
    }

    @Test
    void whatFitsNoPatternGoesOnToTheNextRoute() {
        RecordingBackend one = backend("one");
        RecordingBackend rest = backend("rest");
        zone(HERE);
        String yaml = yaml(10, NEVER, "").replace("cluster: peers}]", "cluster: peers}, {cluster: rest}]")
                + "  rest: {endpoints: [\"127.0.0.1:" + rest.port() + "\"]}\n";
        try (SeamStand stand = stand(yaml)) {
            assertThat(ask(stand, "a.test:" + one.port()).bodyText()).isEqualTo("one");
            assertThat(ask(stand, "elsewhere.example").bodyText()).isEqualTo("rest");
            assertThat(ask(stand, "127.0.0.1").bodyText()).isEqualTo("rest");
        }
    }

    @Test
    void anAddressIsThereWhereAPatternSaysSo() {
        RecordingBackend one = backend("one");
        zone("");
        String yaml = yaml(10, NEVER, "").replace("\"*.test\"", "\"*.test\", \"127.0.0.0/8\", \"::1\"");
        try (SeamStand stand = stand(yaml)) {
            assertThat(ask(stand, "127.0.0.1:" + one.port()).bodyText()).isEqualTo("one");
            assertThat(ask(stand, "[::ffff:127.0.0.1]:" + one.port()).bodyText())
                    .isEqualTo("one");
            assertThat(events(stand, "created")).isOne();
            assertThat(stand.page("/clusters"))
                    .contains("\npeers@127.0.0.1:" + one.port() + " source=static state=bound known=1\n");
            refused(ask(stand, "128.0.0.1:" + one.port()), 404, "no-route");
            refused(ask(stand, "[::2]:" + one.port()), 404, "no-route");
        }
    }

    @Test
    void aFixedPortIsEverybodys() {
        RecordingBackend one = backend("one");
        zone(HERE);
        try (SeamStand stand = stand(yaml(10, NEVER, "").replace("port: \"{port}\"", "port: " + one.port()))) {
            assertThat(ask(stand, "a.test").bodyText()).isEqualTo("one");
            assertThat(ask(stand, "a.test:1").bodyText()).isEqualTo("one");
            assertThat(events(stand, "created")).isOne();
            assertThat(stand.page("/clusters")).contains("\npeers@a.test source=dns:");
        }
    }

    @Test
    void servicesHavePortsOfTheirOwn() {
        RecordingBackend one = backend("one");
        RecordingBackend two = backend("two");
        zone(HERE + "_http._tcp.a 0 IN SRV 0 1 " + one.port() + " a\n_http._tcp.b 0 IN SRV 0 1 " + two.port() + " b\n");
        String yaml = yaml(10, NEVER, "").replace("name: \"{host}.\", port: \"{port}\"", "srv: \"_http._tcp.{host}.\"");
        try (SeamStand stand = stand(yaml)) {
            assertThat(ask(stand, "a.test").bodyText()).isEqualTo("one");
            assertThat(ask(stand, "b.test:80").bodyText()).isEqualTo("two");
            assertThat(hosts(stand)).isEqualTo(2);
        }
    }

    @Test
    void aHostMayHaveAFile() throws IOException {
        RecordingBackend one = backend("one");
        zone("");
        Files.writeString(directory.resolve("a.test.yaml"), "- 127.0.0.1:" + one.port() + "\n");
        String yaml = yaml(10, NEVER, "")
                .replaceAll("dns: .*", "file: \"" + directory + "/{host}.yaml\"")
                // until it has not changed for half a second
                .replace("500ms", "5s");
        try (SeamStand stand = stand(yaml)) {
            assertThat(ask(stand, "a.test").bodyText()).isEqualTo("one");
            refused(ask(stand, "..%2fa.test"), 404, "no-route");
        }
    }

    // ---- what DNS says

    @Test
    void endpointsFollowTheZone() {
        RecordingBackend one = backend("one");
        RecordingBackend two = backend("two");
        String records = HERE + "_http._tcp.a 0 IN SRV 0 1 PORT a\n";
        zone(records.replace("PORT", "" + one.port()));
        String yaml = yaml(10, NEVER, "").replace("name: \"{host}.\", port: \"{port}\"", "srv: \"_http._tcp.{host}.\"");
        try (SeamStand stand = stand(yaml)) {
            assertThat(ask(stand, "a.test").bodyText()).isEqualTo("one");
            knot.zone(records.replace("PORT", "" + two.port()));
            Await.until("the second", () -> ask(stand, "a.test").bodyText().equals("two"));
            knot.zone("");
            // connections go to the two event loops in turn, and one of them may not have heard of it yet
            Await.until("none on either loop", () -> IntStream.range(0, 4)
                    .allMatch(any -> ask(stand, "a.test").status() == 503));
            refused(ask(stand, "a.test"), 503, "no-endpoint");
            refused(ask(stand, "nobody.test"), 503, "no-endpoint");
        }
    }

    @Test
    void requestsWaitForTheFirstAnswer() throws IOException {
        RecordingBackend one = backend("one");
        zone(HERE);
        knot.stop();
        try (SeamStand stand = stand(yaml(10, NEVER, "").replace("500ms", "1h"))) {
            RawClient first = stand.client().send("GET / HTTP/1.1\r\nHost: a.test:" + one.port() + "\r\n\r\n");
            RawClient second = stand.client()
                    .send("POST / HTTP/1.1\r\nHost: a.test:" + one.port() + "\r\nContent-Length: 2\r\n\r\nhi");
            Await.until(
                    "both wait",
                    () -> stand.page("/metrics").contains("# TYPE remora_pending_requests ")
                            && stand.metric("remora_pending_requests") == 2);
            knot.start();
            assertThat(first.response().bodyText()).isEqualTo("one");
            assertThat(second.response().bodyText()).isEqualTo("one");
            assertThat(events(stand, "created")).isOne();
        }
    }

    @Test
    void whoseServerIsSilentIsRefusedInTime() {
        zone(HERE);
        knot.stop();
        try (SeamStand stand = stand(10, NEVER, "")) {
            refused(ask(stand, "a.test:1"), 503, "not-resolved");
        }
    }

    @Test
    void aHostThatIsTheSidecarItselfIsALoop() {
        zone(HERE);
        try (SeamStand stand = stand(10, NEVER, "")) {
            refused(ask(stand, "a.test:" + stand.address().getPort()), 508, "loop");
        }
    }

    // ---- bounds

    @Test
    void oneHostMoreThanThereMayBeIsRefused() {
        RecordingBackend one = backend("one");
        zone(HERE);
        try (SeamStand stand = stand(2, NEVER, "")) {
            assertThat(ask(stand, "a.test:" + one.port()).bodyText()).isEqualTo("one");
            assertThat(ask(stand, "b.test:" + one.port()).bodyText()).isEqualTo("one");
            for (int i = 0; i < 4; i++) {
                RawResponse response = ask(stand, "c.test:" + one.port());
                refused(response, 503, "too-many-hosts");
                assertThat(response.field("Retry-After")).isNotNull();
            }
            assertThat(stand.failures("too-many-hosts")).isEqualTo(4);
            assertThat(events(stand, "refused")).isEqualTo(4);
            assertThat(hosts(stand)).isEqualTo(2);
            assertThat(stand.metric("remora_template_hosts_max")).isEqualTo(2);
            assertThat(stand.page("/metrics")).doesNotContain("peers@c.test");
            assertThat(lookups()).isEqualTo(2);
            assertThat(ask(stand, "a.test:" + one.port()).bodyText()).isEqualTo("one");
        }
    }

    /** Hosts that somebody invents do not lock out those that are there. */
    @Test
    void hostsThatHaveNeverAnsweredMakeRoom() {
        RecordingBackend one = backend("one");
        zone(HERE);
        try (SeamStand stand = stand(3, NEVER, "")) {
            assertThat(ask(stand, "a.test:" + one.port()).bodyText()).isEqualTo("one");
            for (int i = 0; i < 20; i++) {
                String invented = "invented" + i + ".test:" + one.port();
                Await.until("taken in", () -> !"too-many-hosts"
                        .equals(ask(stand, invented).field("Remora-Error")));
            }
            Await.until("served", () -> ask(stand, "b.test:" + one.port()).status() == 200);
            assertThat(ask(stand, "a.test:" + one.port()).bodyText()).isEqualTo("one");
            assertThat(events(stand, "evicted")).isPositive();
            assertThat(hosts(stand)).isLessThanOrEqualTo(3);
        }
    }

    @Test
    void anIdleHostIsForgottenWithAllThatItHad() throws IOException {
        RecordingBackend one = backend("one");
        zone(HERE);
        try (SeamStand stand = stand(1, "3s", "accrual: {}\n")) {
            for (int round = 0; round < 3; round++) {
                String host = (round == 1 ? "b" : "a") + ".test:" + one.port();
                assertThat(stand.client()
                                .send("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
                                .response()
                                .bodyText())
                        .isEqualTo("one");
                assertThat(stand.metric("remora_resolver_state", "\"peers@" + host + '"'))
                        .isOne();
                assertThat(hosts(stand)).isOne();
                Await.until("forgotten", () -> hosts(stand) == 0);
                assertThat(events(stand, "forgotten")).isEqualTo(round + 1);
                assertNothingIsLeftOf(stand);
                Await.until("drained", () -> one.openConnections() == 0);
            }
        }
    }

    @Test
    void whatIsCountedOfAHostsRetriesIsForgottenWithIt() throws IOException {
        RecordingBackend one = backend("one");
        zone(HERE);
        try (SeamStand stand = stand(1, "1s", "retries: {}\n")) {
            String host = "a.test:" + one.port();
            assertThat(stand.client()
                            .send("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
                            .response()
                            .bodyText())
                    .isEqualTo("one");
            assertThat(stand.metric("remora_cluster_retries_total", "\"peers@" + host + '"'))
                    .isZero();
            Await.until("forgotten", () -> hosts(stand) == 0);
            assertNothingIsLeftOf(stand);
        }
    }

    @Test
    void aHostThatIsInUseIsNotForgotten() throws IOException {
        RecordingBackend one = backend("one");
        zone(HERE);
        try (SeamStand stand = stand(1, "500ms", "")) {
            RawClient client = stand.client();
            long untilNs = System.nanoTime() + 2_000_000_000L;
            while (System.nanoTime() < untilNs) {
                assertThat(client.send("GET / HTTP/1.1\r\nHost: a.test:" + one.port() + "\r\n\r\n")
                                .response()
                                .bodyText())
                        .isEqualTo("one");
            }
            assertThat(events(stand, "created")).isOne();
            assertThat(one.connections()).hasSize(1);
        }
    }

    /** What began at a host that is forgotten meanwhile goes on to its end. */
    @Test
    void anExchangeOutlivesItsHost() throws IOException {
        RecordingBackend one = backend("one");
        CountDownLatch rest = new CountDownLatch(1);
        one.onRequest(connection -> {
            connection.readRequest();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc");
            try {
                rest.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            connection.write("def");
        });
        zone(HERE);
        try (SeamStand stand = stand(1, "500ms", "")) {
            RawClient client = stand.client().send("GET / HTTP/1.1\r\nHost: a.test:" + one.port() + "\r\n\r\n");
            client.responseHead();
            Await.until("forgotten", () -> hosts(stand) == 0);
            assertThat(client.read(3)).asString(StandardCharsets.US_ASCII).isEqualTo("abc");
            rest.countDown();
            assertThat(client.read(3)).asString(StandardCharsets.US_ASCII).isEqualTo("def");
            assertNothingIsLeftOf(stand);
        }
    }

    // ---- many at once

    @Test
    void manyWhoAskAtOnceMakeOneClusterForEachHost() throws InterruptedException {
        RecordingBackend one = backend("one");
        zone("*.many 0 IN A 127.0.0.1\n");
        String yaml = yaml(40, "5s", "").replace("workers: 2", "workers: 4").replace("500ms", "5s");
        try (SeamStand stand = stand(yaml)) {
            for (int round = 0; round < 3; round++) {
                String host = "r" + round + "-";
                ConcurrentLinkedQueue<String> bodies = new ConcurrentLinkedQueue<>();
                CountDownLatch go = new CountDownLatch(1);
                List<Thread> clients = new ArrayList<>();
                // fewer than the backlog of the one backend
                for (int i = 0; i < 48; i++) {
                    int number = i % 12;
                    Thread client = new Thread(() -> {
                        try (RawClient raw = RawClient.connect(stand.address())) {
                            go.await();
                            String name = host + number + ".many.test:" + one.port();
                            raw.send("GET / HTTP/1.1\r\nHost: " + name + "\r\n\r\n");
                            RawResponse response = raw.response();
                            bodies.add(response.status() + " " + response.bodyText());
                        } catch (IOException | InterruptedException e) {
                            bodies.add(e.toString());
                        }
                    });
                    client.start();
                    clients.add(client);
                }
                go.countDown();
                for (Thread client : clients) {
                    client.join();
                }
                assertThat(bodies).hasSize(48).containsOnly("200 one");
                assertThat(events(stand, "created")).isEqualTo(12L * (round + 1));
            }
            Await.until("all are forgotten", () -> hosts(stand) == 0);
            assertThat(events(stand, "forgotten")).isEqualTo(36);
            assertNothingIsLeftOf(stand);
            Await.until("drained", () -> one.openConnections() == 0);
        }
    }

    @Test
    void hostsThatComeAndGoUnderTrafficAreAlwaysServed() throws InterruptedException {
        RecordingBackend one = backend("one");
        zone("*.many 0 IN A 127.0.0.1\n");
        // so short that hosts are forgotten while others ask for them
        try (SeamStand stand = stand(yaml(40, "20ms", "").replace("500ms", "20ms"))) {
            ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
            AtomicBoolean enough = new AtomicBoolean();
            List<Thread> clients = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                int first = i;
                Thread client = new Thread(() -> {
                    for (int j = 0; j < 150 || !enough.get(); j++) {
                        // neighbours ask for the same host, and then for none of the others for a while
                        String name = "h" + (first / 3 + j / 20) % 8 + ".many.test:" + one.port();
                        RawResponse response = ask(stand, name);
                        // who waits longer than it may is refused, and nothing else happens to anybody
                        if (response.status() != 200 && !"not-resolved".equals(response.field("Remora-Error"))) {
                            wrong.add(response.status() + " " + response.field("Remora-Error"));
                        }
                    }
                });
                client.start();
                clients.add(client);
            }
            try {
                Await.until("some are forgotten under traffic", () -> events(stand, "forgotten") >= 8);
            } finally {
                enough.set(true);
            }
            for (Thread client : clients) {
                client.join();
            }
            assertThat(wrong).isEmpty();
            Await.until("all are forgotten", () -> hosts(stand) == 0);
            assertNothingIsLeftOf(stand);
            Await.until("drained", () -> one.openConnections() == 0);
        }
    }

    // ---- another configuration

    @Test
    void aTemplateThatStaysKeepsItsHosts() throws IOException {
        RecordingBackend one = backend("one");
        zone(HERE);
        try (SeamStand stand = stand(10, NEVER, "")) {
            assertThat(ask(stand, "a.test:" + one.port()).bodyText()).isEqualTo("one");
            stand.proxy()
                    .replace(SeamStand.config(yaml(10, NEVER, "")
                            .replace(
                                    "routes: [",
                                    "routes: [{match: {path: /x}, cluster-from: host, cluster: peers}, ")));
            assertThat(hosts(stand)).isOne();
            assertThat(ask(stand, "a.test:" + one.port()).bodyText()).isEqualTo("one");
            assertThat(events(stand, "created")).isOne();
        }
    }

    @Test
    void aTemplateThatGoesTakesItsHostsAlong() throws IOException {
        RecordingBackend one = backend("one");
        RecordingBackend two = backend("two");
        zone(HERE);
        try (SeamStand stand = stand(10, NEVER, "accrual: {}")) {
            assertThat(ask(stand, "a.test:" + one.port()).bodyText()).isEqualTo("one");
            stand.proxy().replace(SeamStand.config(yaml(5, NEVER, "")));
            assertThat(hosts(stand)).isZero();
            Await.until("drained", () -> one.openConnections() == 0);
            assertNothingIsLeftOf(stand);
            assertThat(ask(stand, "a.test:" + one.port()).bodyText()).isEqualTo("one");
            assertThat(stand.metric("remora_template_hosts_max")).isEqualTo(5);

            stand.proxy().replace(SeamStand.config("", "", two.port()));
            assertThat(ask(stand, "a.test:" + one.port()).bodyText()).isEqualTo("two");
            assertThat(stand.page("/metrics")).doesNotContain("remora_template_hosts");
            Await.until("nobody asks any more", () -> lookups() == 0);
        }
    }

    @Test
    void whoWaitsIsRefusedWhenTheTemplateGoes() throws IOException {
        zone(HERE);
        knot.stop();
        try (SeamStand stand = stand(yaml(10, NEVER, "").replace("500ms", "1h"))) {
            RawClient waits = stand.client().send("GET / HTTP/1.1\r\nHost: a.test:1\r\n\r\n");
            Await.until(
                    "waits",
                    () -> stand.page("/metrics").contains("# TYPE remora_pending_requests ")
                            && stand.metric("remora_pending_requests") == 1);
            stand.proxy().replace(SeamStand.config("", "", backend("x").port()));
            refused(waits.response(), 503, "not-resolved");
        }
    }

    // ---- the example

    @Test
    void theExampleServes() throws IOException, ConfigException {
        RecordingBackend one = backend("one");
        zone("reviews.default.svc.cluster.local 0 IN A 127.0.0.1\n");
        Map<String, String> environment = Map.of(
                "PORT", "0", "ADMIN_PORT", "0", "DOMAIN", "local.test", "DNS_SERVER", "127.0.0.1:" + knot.port());
        try (Proxy proxy = Examples.start(Examples.with("outbound.yaml", "servers"), environment);
                RawClient client = RawClient.connect(new InetSocketAddress(
                        "127.0.0.1", proxy.address("outbound").getPort()))) {
            refused(
                    client.send("GET / HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n")
                            .response(),
                    404,
                    "no-route");
            String host = "reviews.default.svc.cluster.local.test:" + one.port();
            assertThat(client.send("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
                            .response()
                            .bodyText())
                    .isEqualTo("one");
        }
    }
}

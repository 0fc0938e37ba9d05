package io.remora.balance;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.Proxy;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ConfigException;
import io.remora.naming.Resolver;
import io.remora.seams.Examples;
import io.remora.seams.SeamStand;
import io.remora.seams.SettableResolver;
import io.remora.serving.Seams;
import io.remora.serving.Shared;
import io.remora.testkit.Await;
import io.remora.testkit.Backends;
import io.remora.testkit.DeadPort;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each balancer before backends on real sockets, of which one is slow, dead, heavy or new. */
@EveryEngine
final class BalancersIT {
    private static final int CLIENTS = 6;
    private static final int SLOW_MS = 100;
    /** How many requests others answer while a slow one answers one, and for how long it waits for that at most. */
    private static final int TIMES_SLOWER = 100;

    private static final long MOST_NS = TimeUnit.SECONDS.toNanos(2);

    @RegisterExtension
    final Backends backends = new Backends();

    private RecordingBackend slow() {
        return backends.start().onRequest(connection -> {
            connection.readRequest();
            Stand.pause(SLOW_MS);
            connection.write(RecordingBackend.OK);
        });
    }

    /** Slower than the others by their count, so that it is so on a busy machine, too. */
    private void slowerThan(AtomicInteger answered) {
        backends.start().onRequest(connection -> {
            connection.readRequest();
            int until = answered.get() + TIMES_SLOWER;
            long beganNs = System.nanoTime();
            while (answered.get() < until && System.nanoTime() - beganNs < MOST_NS) {
                Stand.pause(1);
            }
            connection.write(RecordingBackend.OK);
        });
    }

    private void counting(AtomicInteger answered) {
        backends.start().onRequest(connection -> {
            connection.readRequest();
            answered.incrementAndGet();
            connection.write(RecordingBackend.OK);
        });
    }

    private int[] ports() {
        return backends.all().stream().mapToInt(RecordingBackend::port).toArray();
    }

    private SeamStand stand(String balancer) {
        return SeamStand.start(new Seams(), SeamStand.config("", "balancer: " + balancer, ports()));
    }

    private static SeamStand with(Resolver resolver, String balancer) {
        Seams seams = new Seams() {
            @Override
            public Resolver resolver(ClusterConfig config, Shared shared) {
                return resolver;
            }
        };
        return SeamStand.start(seams, SeamStand.config("", "balancer: " + balancer, 1));
    }

    /** So many requests, one after the other. */
    private static void ask(SeamStand stand, int number, String request) throws IOException {
        try (RawClient client = RawClient.connect(stand.address())) {
            for (int i = 0; i < number; i++) {
                assertThat(client.send(request).response().status()).isEqualTo(200);
            }
        }
    }

    /** So many requests of each of several clients at once. */
    private static void askTogether(SeamStand stand, int number) throws InterruptedException {
        together(() -> ask(stand, number, SeamStand.GET));
    }

    /** So many requests of several clients at once, of whom one that waits leaves them to the others. */
    private static void share(SeamStand stand, int number) throws InterruptedException {
        AtomicInteger left = new AtomicInteger(number);
        together(() -> {
            try (RawClient client = RawClient.connect(stand.address())) {
                while (left.getAndDecrement() > 0) {
                    assertThat(client.send(SeamStand.GET).response().status()).isEqualTo(200);
                }
            }
        });
    }

    /** What a client does. */
    private interface Asking {
        void run() throws IOException;
    }

    private static void together(Asking asking) throws InterruptedException {
        List<String> wrong = new CopyOnWriteArrayList<>();
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            Thread client = new Thread(() -> {
                try {
                    asking.run();
                } catch (IOException | AssertionError e) {
                    wrong.add(e.toString());
                }
            });
            client.setDaemon(true);
            client.start();
            clients.add(client);
        }
        for (Thread client : clients) {
            client.join(10 * Await.TIMEOUT_MS);
        }
        assertThat(wrong).isEmpty();
    }

    /** Without what a stranger sends, to whom the same port belonged before. */
    private long requestsOf(String session, int backend) {
        return backends.all().get(backend).requests().stream()
                .filter(request -> session.equals(request.field("Cookie")))
                .count();
    }

    private int requests(int backend) {
        return backends.all().get(backend).requests().size();
    }

    // ---- one that is slow, or dead

    @ParameterizedTest
    @ValueSource(strings = {"least-loaded", "peak-ewma", "{ kind: aperture, size: 3 }"})
    void aSlowOneIsShed(String balancer) throws InterruptedException {
        AtomicInteger answered = new AtomicInteger();
        slowerThan(answered);
        counting(answered);
        counting(answered);
        try (SeamStand stand = stand(balancer)) {
            share(stand, 2_400);
            assertThat(requests(0)).isLessThan(2_400 / 20);
            assertThat(requests(0) + requests(1) + requests(2)).isEqualTo(2_400);
        }
    }

    /** What the test above shows is not in the nature of slow endpoints. */
    @Test
    void inTurnASlowOneIsNotShed() throws InterruptedException {
        slow();
        backends.start();
        backends.start();
        try (SeamStand stand = stand("round-robin")) {
            askTogether(stand, 10);
            assertThat(requests(0)).isEqualTo(CLIENTS * 10 / 3);
        }
    }

    /** One that refuses has nothing under way, and is yet not taken for the least loaded. */
    @ParameterizedTest
    @ValueSource(strings = {"least-loaded", "peak-ewma"})
    void aDeadOneIsNotPreferred(String balancer) throws IOException {
        backends.start();
        backends.start();
        try (DeadPort dead = new DeadPort()) {
            int[] ports = {dead.port(), ports()[0], ports()[1]};
            SeamStand stand = SeamStand.start(new Seams(), SeamStand.config("", "balancer: " + balancer, ports));
            try (stand) {
                ask(stand, 300, SeamStand.GET);
                stand.awaitIdle();
                assertThat(stand.repicks()).isLessThan(30);
                assertThat(requests(0) + requests(1)).isEqualTo(300);
            }
        }
    }

    // ---- hashes

    private static String by(String field, String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: app\r\n" + field + "\r\n\r\n";
    }

    @ParameterizedTest
    @ValueSource(strings = {"{ header: X-User }", "{ cookie: session }", "path"})
    void aHashSticks(String hash) throws IOException {
        backends.start();
        backends.start();
        backends.start();
        Map<String, Set<Integer>> where = new HashMap<>();
        try (SeamStand stand = stand("{ kind: maglev, hash: " + hash + " }")) {
            for (int round = 0; round < 3; round++) {
                for (int user = 0; user < 30; user++) {
                    int[] before = {requests(0), requests(1), requests(2)};
                    String field = "X-User: u" + user + "\r\nCookie: a=" + round + "; session=u" + user;
                    ask(stand, 1, by(field, "/u" + user + "?" + round));
                    for (int i = 0; i < 3; i++) {
                        if (requests(i) > before[i]) {
                            where.computeIfAbsent("u" + user, any -> new HashSet<>())
                                    .add(i);
                        }
                    }
                }
            }
        }
        assertThat(where).hasSize(30).allSatisfy((user, of) -> assertThat(of).hasSize(1));
        assertThat(requests(0)).isPositive();
        assertThat(requests(1)).isPositive();
        assertThat(requests(2)).isPositive();
    }

    @Test
    void oneClientStaysAtOneEndpoint() throws IOException {
        backends.start();
        backends.start();
        backends.start();
        try (SeamStand stand = stand("{ kind: maglev, hash: client }")) {
            ask(stand, 20, SeamStand.GET);
            ask(stand, 20, SeamStand.GET);
        }
        assertThat(List.of(requests(0), requests(1), requests(2))).containsOnlyOnce(40);
    }

    @Test
    void withoutTheHeaderARequestGoesAnywhere() throws IOException {
        backends.start();
        backends.start();
        try (SeamStand stand = stand("{ kind: maglev, hash: { header: X-User } }")) {
            ask(stand, 60, SeamStand.GET);
        }
        assertThat(requests(0)).isBetween(10, 50);
    }

    /** All requests have one hash, and yet no endpoint has all of them. */
    @Test
    void theBoundBreaksUpWhatIsTooMuch() throws InterruptedException {
        slow();
        slow();
        slow();
        try (SeamStand stand = stand("{ kind: maglev, hash: path }")) {
            askTogether(stand, 10);
        }
        // six at once are three at the most at one: 1.25 times the mean of two, rounded up
        assertThat(requests(0)).isLessThan(CLIENTS * 10 * 2 / 3);
        assertThat(requests(1)).isLessThan(CLIENTS * 10 * 2 / 3);
        assertThat(requests(2)).isLessThan(CLIENTS * 10 * 2 / 3);
    }

    // ---- what endpoints say of themselves

    private SeamStand stand(String balancer, String... more) {
        StringBuilder endpoints = new StringBuilder();
        for (int i = 0; i < more.length; i++) {
            endpoints
                    .append("      - { address: \"127.0.0.1:")
                    .append(ports()[i])
                    .append("\"");
            endpoints.append(more[i]).append(" }\n");
        }
        return SeamStand.start(new Seams(), SeamStand.config("""
                listeners:
                  - { name: test, address: "127.0.0.1:0", cluster: app }
                clusters:
                  app:
                    balancer: BALANCER
                    endpoints:
                """.replace("BALANCER", balancer) + endpoints));
    }

    /** Where it is by chance, that is off by more than this once in a hundred million runs. */
    @Test
    void theHeavierGetsMore() throws IOException {
        backends.start();
        backends.start();
        backends.start();
        try (SeamStand stand = stand("round-robin", ", weight: 3", "", ", weight: 0")) {
            ask(stand, 400, SeamStand.GET);
        }
        assertThat(requests(0)).isBetween(250, 350);
        assertThat(requests(0) + requests(1)).isEqualTo(400);
        assertThat(backends.all().get(2).connections()).isEmpty();
    }

    @Test
    void theHeavierHasItsTurnMoreOften() throws IOException {
        backends.start();
        backends.start();
        try (SeamStand stand = stand("round-robin", ", weight: 3", "")) {
            for (int turn = 1; turn <= 25; turn++) {
                ask(stand, 4, SeamStand.GET);
                assertThat(requests(0)).as("requests in turn").isEqualTo(3 * turn);
                assertThat(requests(1)).as("requests in turn").isEqualTo(turn);
            }
        }
    }

    @Test
    void theOwnZoneComesFirst() throws IOException {
        backends.start();
        backends.start();
        backends.start();
        try (SeamStand stand = stand("{ zone: a }", ", zone: b", ", zone: a", ", zone: a, priority: 1")) {
            ask(stand, 40, SeamStand.GET);
        }
        assertThat(requests(1)).isEqualTo(40);
    }

    /** What was refused by the first priority goes to the second one. */
    @Test
    void theNextPriorityHelps() throws IOException {
        RecordingBackend gone = backends.start();
        backends.start();
        try (SeamStand stand = stand("least-loaded", "", ", priority: 1")) {
            ask(stand, 5, SeamStand.GET);
            assertThat(requests(1)).isZero();
            gone.close();
            ask(stand, 5, SeamStand.GET);
            assertThat(requests(1)).isEqualTo(5);
        }
    }

    @Test
    void whoJoinsStartsSlowly() throws IOException {
        RecordingBackend first = backends.start();
        RecordingBackend second = backends.start();
        RecordingBackend late = backends.start();
        SettableResolver resolver = new SettableResolver(SettableResolver.bound(List.of(first.port(), second.port())));
        try (SeamStand stand = with(resolver, "{ kind: round-robin, slow-start: 1h }")) {
            ask(stand, 20, SeamStand.GET);
            assertThat(requests(0)).as("from the start").isBetween(9, 11);
            resolver.set(SettableResolver.bound(List.of(first.port(), second.port(), late.port())));
            ask(stand, 210, SeamStand.GET);
            // a tenth of a share among two whole ones
            assertThat(requests(2)).isBetween(5, 15);
        }
    }

    // ---- the example

    @Test
    void theExampleServes() throws IOException, ConfigException {
        backends.start();
        backends.start();
        backends.start();
        Map<String, String> environment = Map.of(
                "ADMIN_PORT", "0",
                "PORT", "0",
                "APP_A", Integer.toString(ports()[0]),
                "APP_B", Integer.toString(ports()[1]),
                "STANDBY", Integer.toString(ports()[2]));
        Proxy proxy = start(environment);
        try (RawClient client = RawClient.connect(proxy.address("outbound"))) {
            for (int i = 0; i < 8; i++) {
                assertThat(client.send(by("Cookie: session=7", "/images/" + i))
                                .response()
                                .status())
                        .isEqualTo(200);
            }
            assertThat(requestsOf("session=7", 0)).as("by weight").isEqualTo(6);
            assertThat(requestsOf("session=7", 1)).as("by weight").isEqualTo(2);
            for (String path : List.of("/", "/search", "/cart")) {
                assertThat(client.send(by("Cookie: session=7", path)).response().status())
                        .isEqualTo(200);
            }
            assertThat(requestsOf("session=7", 0)).as("by zone").isGreaterThan(6);
            assertThat(requestsOf("session=7", 2)).as("the stand-by").isZero();
        } finally {
            proxy.drain();
            proxy.close();
        }
    }

    private static Proxy start(Map<String, String> environment) throws IOException, ConfigException {
        return Examples.start(Examples.with("balancing.yaml"), environment);
    }
}

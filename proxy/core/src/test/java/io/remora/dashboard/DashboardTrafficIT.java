package io.remora.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.metrics.WatchedNames;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The dashboard's numbers of a sidecar that has traffic. */
final class DashboardTrafficIT {
    private static final int MANY = 200;
    private static final String YAML = """
            admin: { address: "127.0.0.1:0" }
            log-level: warn
            listeners:
              - name: test
                address: "127.0.0.1:0"
                routes:
                  - { name: slow, match: { prefix: /slow }, cluster: app }
                  - { name: broken, match: { prefix: /broken }, cluster: broken }
                  - { name: rest, cluster: app }
              - { name: barrier, address: "127.0.0.1:0", cluster: barrier }
            clusters:
              app: { endpoints: ["127.0.0.1:${BACKEND}"] }
              broken: { endpoints: ["127.0.0.1:${BACKEND_1}"] }
              barrier: { endpoints: ["127.0.0.1:${BARRIER}"] }
            """;

    @Test
    void showsEachRouteAndEndpointSinceThePageWasOpened() throws IOException {
        try (RecordingBackend app = RecordingBackend.start().replyOk();
                RecordingBackend broken =
                        RecordingBackend.start().reply("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n");
                Sidecar sidecar = Sidecar.of(YAML, app, broken)) {
            try (RawClient client = sidecar.client()) {
                // before anybody looks
                get(client, "/", 200);
                sidecar.barrier();
                try (EventStream viewer = EventStream.open(sidecar.adminClient())) {
                    assertThat(viewer.row('r')).isEmpty();
                    for (int i = 0; i < 50; i++) {
                        get(client, "/slow/" + i, 200);
                        get(client, "/", 200);
                    }
                    get(client, "/broken", 502);
                    viewer.until("all of it", 10, now -> Long.valueOf(101)
                            .equals(now.row('l', "n", "test").get("ex")));
                    viewer.until("the failure", 10, now -> !now.failures().isEmpty());
                    judge(viewer, app.port(), broken.port());
                }
            }
        }
    }

    /** One of the rows is that of the endpoint. */
    @Test
    void theStreamCountsWhatHasNoRow() throws IOException {
        StringBuilder routes = new StringBuilder();
        StringBuilder endpoints = new StringBuilder();
        for (int i = 0; i < MANY; i++) {
            routes.append("      - { name: route-" + i + ", match: { path: /" + i + " }, cluster: app }\n");
            endpoints
                    .append(i == 0 ? "" : ", ")
                    .append("\"127.0.0.1:")
                    .append(20_000 + i)
                    .append('"');
        }
        String yaml = YAML.replace("    routes:\n", "    routes:\n" + routes)
                .replace("clusters:\n", "clusters:\n  idle: { endpoints: [" + endpoints + "] }\n");
        try (RecordingBackend app = RecordingBackend.start().replyOk();
                Sidecar sidecar = Sidecar.of(yaml, app, app);
                RawClient client = sidecar.client();
                EventStream viewer = EventStream.open(sidecar.adminClient())) {
            assertThat(viewer.row('m')).containsEntry("routes", 0L);
            for (int i = 0; i < MANY; i++) {
                get(client, "/" + i, 200);
            }
            Long expected = MANY - (WatchedNames.ROWS - 1L);
            // it does not wait for the turns of the rows
            viewer.until(
                    "the routes without a row",
                    2,
                    now -> expected.equals(now.row('m').get("routes")));
            assertThat(viewer.lastOctets()).isLessThan(LivePage.PERIOD * 1_200);
            // 64 endpoints of the 200, and the three of the other clusters
            assertThat(viewer.row('m')).containsEntry("more", MANY + 3L - 64).containsEntry("bare", 0L);
            try (EventStream next = EventStream.open(sidecar.adminClient())) {
                assertThat(next.row('m')).containsEntry("routes", expected);
            }
        }
    }

    private static void judge(EventStream viewer, int app, int broken) throws IOException {
        // rows have their turns
        viewer.until("the rows of routes", 10, now -> has(now, "r", "slow") && has(now, "r", "broken"));
        viewer.until(
                "the rows of endpoints",
                10,
                now -> has(now, "e", "127.0.0.1:" + app) && has(now, "e", "127.0.0.1:" + broken));
        Map<String, Object> slow = viewer.row('r', "n", "slow");
        assertThat(slow).containsEntry("in", "test").containsEntry("ex", 50L);
        assertThat(slow.get("ok")).hasToString("100.00");
        assertThat(viewer.row('r', "n", "broken").get("ok")).hasToString("0.00");
        assertThat(ascending(slow.get("px"))).hasSize(4);
        assertThat(ascending(slow.get("tx"))).hasSize(4);
        assertThat((Long) ((List<?>) slow.get("tx")).get(0))
                .isGreaterThanOrEqualTo((Long) ((List<?>) slow.get("px")).get(0));
        assertThat(viewer.row('e', "n", "127.0.0.1:" + app))
                .containsEntry("in", "app")
                .containsEntry("ex", 100L);
        assertThat(viewer.row('e', "n", "127.0.0.1:" + broken).get("ok")).hasToString("0.00");
        // time, listener, route, endpoint, client, status, failure, rule, attempt, total
        List<Object> failure = viewer.failures().get(0);
        assertThat(failure.subList(1, 6)).containsExactly("test", "broken", "127.0.0.1:" + broken, "127.0.0.1", 502L);
        assertThat(failure.get(6)).isEqualTo("bad-response");
        assertThat(failure.get(7)).isEqualTo("content-length");
    }

    private static boolean has(EventStream viewer, String kind, String name) {
        Map<String, Object> row = viewer.row(kind.charAt(0), "n", name);
        return row != null && row.get("tx") != null && row.get("ok") != null;
    }

    private static List<Long> ascending(Object numbers) {
        List<Long> all = ((List<?>) numbers).stream().map(Long.class::cast).toList();
        assertThat(all).isSorted();
        return all;
    }

    /** Events have their bound of 1 kB a second under load too, and the rate in them is that of the load. */
    @Test
    void anEventIsAboutOneKilobyteUnderLoad() throws Exception {
        try (RecordingBackend app = RecordingBackend.start().replyOk();
                Sidecar sidecar = Sidecar.of(YAML, app, app)) {
            AtomicBoolean stops = new AtomicBoolean();
            Thread load = new Thread(() -> load(sidecar, stops), "load");
            load.start();
            try (EventStream viewer = EventStream.open(sidecar.adminClient())) {
                long before = sidecar.finishedAtOnce();
                long beganNs = System.nanoTime();
                long octets = 0;
                for (int i = 0; i < 5; i++) {
                    viewer.next();
                    assertThat(viewer.lastOctets()).isLessThan(LivePage.PERIOD * 1_200);
                    octets += viewer.lastOctets();
                }
                assertThat(octets).isLessThan(5 * LivePage.PERIOD * 1_000);
                long after = sidecar.finishedAtOnce();
                double seconds = (System.nanoTime() - beganNs) / 1e9;
                double rate = Double.parseDouble(viewer.row('a').get("ra").toString());
                assertThat(rate).isBetween((after - before) / seconds * 0.5, (after - before) / seconds * 2);
            } finally {
                stops.set(true);
                load.join();
            }
        }
    }

    private static void load(Sidecar sidecar, AtomicBoolean stops) {
        try (RawClient client = sidecar.client()) {
            for (int i = 0; !stops.get(); i++) {
                get(client, i % 2 == 0 ? "/slow" : "/", 200);
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void get(RawClient client, String path, int status) throws IOException {
        assertThat(client.send("GET " + path + " HTTP/1.1\r\nHost: app\r\n\r\n")
                        .response()
                        .status())
                .isEqualTo(status);
    }
}

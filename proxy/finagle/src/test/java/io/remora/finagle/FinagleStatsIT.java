package io.remora.finagle;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.DeadPort;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What Finagle counts in words of its own, as the pages of the operator show it. */
final class FinagleStatsIT {
    private static final String GET = "GET / HTTP/1.1\r\nHost: app\r\n\r\n";

    private final RecordingBackend one = RecordingBackend.start();
    private final RecordingBackend two = RecordingBackend.start();

    @AfterEach
    void close() {
        one.close();
        two.close();
    }

    /** Before an endpoint that is dead, and those that come behind it in the list. */
    private Sidecar before(String others, DeadPort dead) {
        return Sidecar.of("""
                engine: finagle
                admin: {address: "127.0.0.1:0"}
                listeners:
                  - {name: test, address: "127.0.0.1:0", cluster: app}
                  - {name: barrier, address: "127.0.0.1:0", cluster: barrier}
                clusters:
                  app: {endpoints: ["127.0.0.1:%d"%s], balancer: round-robin}
                  barrier: {endpoints: ["127.0.0.1:${BARRIER}"]}
                """.formatted(dead.port(), others), one);
    }

    private static long value(Sidecar sidecar, String series) {
        for (String line : sidecar.admin("GET", "/metrics").bodyText().split("\n")) {
            if (line.startsWith(series + ' ')) {
                return Math.round(Double.parseDouble(line.substring(series.length() + 1)));
            }
        }
        throw new AssertionError("no " + series);
    }

    private static long event(Sidecar sidecar, String name) {
        return value(sidecar, "remora_engine_events_total{cluster=\"app\",event=\"" + name + "\"}");
    }

    private static long level(Sidecar sidecar, String name) {
        return value(sidecar, "remora_engine_level{cluster=\"app\",level=\"" + name + "\"}");
    }

    @Test
    void countsItsBalancerAndPools() throws IOException {
        try (Sidecar sidecar = Sidecar.start(Setup.before(one, two).process("engine: finagle"));
                RawClient client = sidecar.client()) {
            for (int i = 0; i < 30; i++) {
                client.send(GET).response();
            }
            assertThat(level(sidecar, "loadbalancer/size")).isEqualTo(2);
            assertThat(level(sidecar, "loadbalancer/available")).isEqualTo(2);
            assertThat(level(sidecar, "loadbalancer/closed")).isZero();
            assertThat(level(sidecar, "pool_cached")).isEqualTo(2);
            assertThat(event(sidecar, "loadbalancer/adds")).isEqualTo(2);
            assertThat(event(sidecar, "loadbalancer/removes")).isZero();
            assertThat(event(sidecar, "retries/requeues")).isZero();
        }
    }

    @Test
    void countsWhatItSendsAgain() throws IOException {
        try (DeadPort dead = new DeadPort();
                Sidecar sidecar = before(", \"127.0.0.1:${BACKEND}\"", dead);
                RawClient client = sidecar.client()) {
            for (int i = 0; i < 4; i++) {
                assertThat(client.send(GET).response().status()).isEqualTo(200);
            }
            assertThat(event(sidecar, "retries/requeues")).isPositive();
        }
    }

    @Test
    void countsWhomItTakesOutOfUse() throws IOException {
        one.reply("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n");
        Setup setup = Setup.before(one, two)
                .process("engine: finagle")
                .cluster("accrual: {consecutive-failures: 2, back-off: 1h, max-back-off: 1h}");
        try (Sidecar sidecar = Sidecar.start(setup);
                RawClient client = sidecar.client()) {
            List<Integer> statuses = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                RawResponse response = client.send(GET).response();
                statuses.add(response.status());
            }
            assertThat(statuses).contains(500);
            assertThat(event(sidecar, "failure_accrual/removals")).isOne();
            assertThat(level(sidecar, "loadbalancer/available")).isOne();
            assertThat(level(sidecar, "loadbalancer/busy")).isOne();
            String page = sidecar.admin("GET", "/clusters").bodyText();
            assertThat(state(page, one)).contains(" state=out reason=accrual ");
            assertThat(state(page, two)).contains(" state=in-use reason=- ");
        }
    }

    /** However many endpoints fail in however many ways. */
    @Test
    void hasTheSeriesOfItsTableAndNoMore() throws IOException {
        try (DeadPort dead = new DeadPort();
                Sidecar sidecar = before("", dead);
                RawClient client = sidecar.client()) {
            long before = series(sidecar);
            for (int i = 0; i < 5; i++) {
                assertThat(client.send(GET).response().status()).isEqualTo(502);
            }
            assertThat(series(sidecar)).isEqualTo(before).isPositive();
        }
    }

    private static String state(String page, RecordingBackend of) {
        return page.lines()
                .filter(line -> line.startsWith("  127.0.0.1:" + of.port() + " "))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void showsWhoCouldNotBeConnectedTo() throws IOException {
        try (DeadPort dead = new DeadPort();
                Sidecar sidecar = before(", \"127.0.0.1:${BACKEND}\"", dead);
                RawClient client = sidecar.client()) {
            for (int i = 0; i < 4; i++) {
                assertThat(client.send(GET).response().status()).isEqualTo(200);
            }
            String page = sidecar.admin("GET", "/clusters").bodyText();
            assertThat(page).contains("state=out reason=connect");
            assertThat(state(page, one)).contains("state=in-use");
        }
    }

    private static long series(Sidecar sidecar) {
        return sidecar.admin("GET", "/metrics")
                .bodyText()
                .lines()
                .filter(line -> line.startsWith("remora_engine_"))
                .count();
    }
}

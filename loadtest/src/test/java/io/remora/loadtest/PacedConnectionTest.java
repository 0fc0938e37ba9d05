package io.remora.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

final class PacedConnectionTest {
    private static final long MS = 1_000_000;

    @Test
    void countsAStalledServersRequestsFromThePlannedTime() throws Exception {
        AtomicInteger requests = new AtomicInteger();
        try (StubServer server = new StubServer((number, talk) -> {
            while (talk.awaitRequest()) {
                if (requests.incrementAndGet() == 10) {
                    LockSupport.parkNanos(300 * MS);
                }
                talk.send(StubServer.OK);
            }
        })) {
            FixedRateLoad.Result result =
                    FixedRateLoad.onPort(server.port(), "/", 100, 1).run(0, 1_000 * MS);
            assertThat(result.failed()).isZero();
            assertThat(result.latencies().getTotalCount()).isEqualTo(100);
            // A closed loop would see one slow request; thirty were due meanwhile, each a period less late.
            assertThat(result.latencies().getCountBetweenValues(50 * MS, Percentiles.HIGHEST_NS))
                    .isGreaterThanOrEqualTo(24);
        }
    }

    @Test
    void countsACutConnectionAndOpensItAgain() throws Exception {
        AtomicInteger connections = new AtomicInteger();
        try (StubServer server = new StubServer((number, talk) -> {
            connections.set(number);
            for (int i = 0; i < 5 && talk.awaitRequest(); i++) {
                talk.send(StubServer.OK);
            }
            talk.awaitRequest();
        })) {
            FixedRateLoad.Result result =
                    FixedRateLoad.onPort(server.port(), "/", 100, 1).run(0, 300 * MS);
            assertThat(result.failed()).isEqualTo(5);
            assertThat(result.latencies().getTotalCount()).isEqualTo(25);
            assertThat(connections.get()).isEqualTo(5);
        }
    }

    @Test
    void anAnnouncedEndIsNoFailure() throws Exception {
        try (StubServer server = new StubServer((number, talk) -> {
            talk.awaitRequest();
            talk.send(StubServer.OK.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
        })) {
            FixedRateLoad.Result result =
                    FixedRateLoad.onPort(server.port(), "/", 100, 1).run(0, 200 * MS);
            assertThat(result.failed()).isZero();
            assertThat(result.latencies().getTotalCount()).isEqualTo(20);
        }
    }

    @Test
    void anErrorIsAFailureAndNoLatency() throws Exception {
        try (StubServer server = new StubServer((number, talk) -> {
            while (talk.awaitRequest()) {
                talk.send(StubServer.OK.replace("200", "503"));
            }
        })) {
            FixedRateLoad.Result result =
                    FixedRateLoad.onPort(server.port(), "/", 100, 1).run(100 * MS, 100 * MS);
            assertThat(result.failed()).isEqualTo(20);
            assertThat(result.latencies().getTotalCount()).isZero();
        }
    }

    @Test
    void aStoppedServerFailsEachRequest() throws Exception {
        int port;
        try (StubServer server = new StubServer((number, talk) -> {})) {
            port = server.port();
        }
        FixedRateLoad.Result result = FixedRateLoad.onPort(port, "/", 100, 2).run(0, 200 * MS);
        assertThat(result.failed()).isEqualTo(20);
    }

    /** Each request would wait for a timeout of ten seconds. */
    @Test
    void aServerThatHangsDoesNotExtendTheLoadByATimeoutForEachRequest() throws Exception {
        long beganNs = System.nanoTime();
        try (StubServer server =
                new StubServer((number, talk) -> talk.socket().getInputStream().readAllBytes())) {
            FixedRateLoad.Result result =
                    FixedRateLoad.onPort(server.port(), "/", 100, 1).run(0, 200 * MS);
            assertThat(result.failed()).isEqualTo(20);
        }
        assertThat(System.nanoTime() - beganNs).isLessThan(45_000 * MS);
    }

    @Test
    void aHerdSendsToEachPort() throws Exception {
        AtomicInteger first = new AtomicInteger();
        AtomicInteger second = new AtomicInteger();
        try (StubServer one = counting(first);
                StubServer other = counting(second)) {
            FixedRateLoad load = FixedRateLoad.herd(List.of(one.port(), other.port()), "/", 50);
            FixedRateLoad.Result result = load.run(0, 200 * MS);
            assertThat(result.failed()).isZero();
            assertThat(first.get()).isEqualTo(10);
            assertThat(second.get()).isEqualTo(10);
        }
    }

    private static StubServer counting(AtomicInteger requests) throws IOException {
        return new StubServer((number, talk) -> {
            while (talk.awaitRequest()) {
                requests.incrementAndGet();
                talk.send(StubServer.OK);
            }
        });
    }
}

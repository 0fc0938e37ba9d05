package io.remora.finagle;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ClusterConfig;
import io.remora.naming.Addr;
import io.remora.naming.Resolver;
import io.remora.seams.ClientLoad;
import io.remora.seams.SeamStand;
import io.remora.seams.SettableResolver;
import io.remora.serving.Seams;
import io.remora.serving.Shared;
import io.remora.testkit.Await;
import io.remora.testkit.RecordingBackend;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Finagle's engine with a source of endpoints that changes its mind. */
final class FinagleChangesIT {
    private static final int CHANGES = 200;
    private static final int CHANGE_MS = 10;

    private final List<RecordingBackend> backends = new ArrayList<>();

    @AfterEach
    void close() {
        backends.forEach(RecordingBackend::close);
    }

    private static Addr.Bound at(List<RecordingBackend> some) {
        return SettableResolver.bound(some.stream().map(RecordingBackend::port).toList());
    }

    private static SeamStand stand(Resolver resolver) {
        Seams seams = new Seams() {
            @Override
            public Resolver resolver(ClusterConfig config, Shared shared) {
                return resolver;
            }
        };
        return SeamStand.start(seams, SeamStand.config("""
                engine: finagle
                workers: 2
                listeners:
                  - {name: test, address: "127.0.0.1:0", cluster: app}
                clusters:
                  app: {endpoints: ["127.0.0.1:1"]}
                """));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void servesWhileItChangesAllTheTime(long seed) throws InterruptedException {
        Random random = new Random(seed);
        for (int i = 0; i < 5; i++) {
            backends.add(RecordingBackend.start());
        }
        SettableResolver resolver = new SettableResolver(at(backends));
        try (SeamStand stand = stand(resolver)) {
            try (ClientLoad load = new ClientLoad(stand)) {
                for (int i = 0; i < CHANGES; i++) {
                    List<RecordingBackend> some = new ArrayList<>(backends);
                    some.removeIf(one -> random.nextBoolean());
                    resolver.set(at(some.isEmpty() ? backends : some));
                    TimeUnit.MILLISECONDS.sleep(CHANGE_MS);
                }
                load.assertAllServed();
            }
            RecordingBackend last = backends.get(0);
            resolver.set(at(List.of(last)));
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            for (RecordingBackend gone : backends.subList(1, backends.size())) {
                assertThat(gone.connections()).isNotEmpty();
                Await.until("drained", () -> gone.openConnections() == 0);
                Await.until("forgotten", () -> !stand.page("/metrics").contains(":" + gone.port() + '"'));
                assertThat(gone.problems()).isEmpty();
            }
            stand.awaitIdle();
            assertThat(stand.failures()).isZero();
        }
    }
}

package io.remora.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ClusterConfig;
import io.remora.seams.ClientLoad;
import io.remora.seams.SeamStand;
import io.remora.seams.SettableResolver;
import io.remora.serving.Seams;
import io.remora.serving.Shared;
import io.remora.testkit.Await;
import io.remora.testkit.Backends;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A source of endpoints that changes its mind. */
@EveryEngine
final class ResolverSeamIT {
    private static final int CHANGES = 200;
    private static final int CHANGE_MS = 10;
    private static final Addr PENDING = new Addr.Pending();
    private static final Addr EMPTY = new Addr.Empty();
    private static final Addr FAILED = new Addr.Failed("the source is gone");

    @RegisterExtension
    final Backends backends = new Backends();

    private static Addr.Bound at(RecordingBackend... at) {
        List<Integer> ports = new ArrayList<>();
        for (RecordingBackend backend : at) {
            ports.add(backend.port());
        }
        return SettableResolver.bound(ports);
    }

    /** The port that the configuration names is nobody's. */
    private static SeamStand stand(Resolver resolver) {
        Seams seams = new Seams() {
            @Override
            public Resolver resolver(ClusterConfig config, Shared shared) {
                return resolver;
            }
        };
        return SeamStand.start(seams, 1);
    }

    @Test
    void tellsOneThingAfterTheOther() {
        SettableResolver resolver = new SettableResolver(PENDING);
        RecordingBackend first = backends.start();
        try (SeamStand stand = stand(resolver)) {
            refused(stand, "not-resolved");
            resolver.set(FAILED);
            refused(stand, "not-resolved");
            resolver.set(at(first));
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            resolver.set(FAILED);
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            resolver.set(PENDING);
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            assertThat(first.connections()).hasSize(1);
            resolver.set(EMPTY);
            refused(stand, "no-endpoint");
            Await.until("the endpoint has drained", () -> first.openConnections() == 0);
            resolver.set(FAILED);
            refused(stand, "no-endpoint");
            resolver.set(at(first));
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
        }
        assertThat(resolver.ended()).isPositive();
    }

    private static void refused(SeamStand stand, String failure) {
        RawResponse response = stand.get("/");
        assertThat(response.status()).isEqualTo(503);
        assertThat(response.field("Remora-Error")).isEqualTo(failure);
        assertThat(response.field("Retry-After")).isNotNull();
    }

    @Test
    void anExchangeOutlivesItsEndpoint() throws IOException {
        RecordingBackend first = backends.start();
        RecordingBackend second = backends.start();
        first.onRequest(connection -> {
            connection.readHead();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nfir");
            connection.input().read();
            connection.write("st!");
        });
        SettableResolver resolver = new SettableResolver(at(first));
        try (SeamStand stand = stand(resolver)) {
            RawClient client = stand.client();
            client.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 1\r\n\r\n");
            client.responseHead();
            assertThat(Wire.text(client.read(3))).isEqualTo("fir");
            resolver.set(at(second));
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            assertThat(second.requests()).hasSize(1);
            // still counted as long as it serves
            assertThat(stand.page("/clusters")).contains(":" + first.port() + " ");
            client.send("x");
            assertThat(Wire.text(client.read(3))).isEqualTo("st!");
            Await.until("drained", () -> first.openConnections() == 0);
            Await.until("forgotten", () -> !stand.page("/clusters").contains(":" + first.port() + " "));
            assertThat(stand.page("/metrics")).doesNotContain(":" + first.port() + '"');
            stand.awaitIdle();
            assertThat(stand.failures()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void changesAllTheTimeUnderLoad(long seed) throws InterruptedException {
        Random random = new Random(seed);
        RecordingBackend[] all = {
            backends.start(), backends.start(), backends.start(), backends.start(), backends.start()
        };
        SettableResolver resolver = new SettableResolver(at(all));
        try (SeamStand stand = stand(resolver)) {
            stand.get("/");
            resolver.set(EMPTY);
            awaitDrained(all[0]);
            long descriptors = stand.metric("remora_process_open_fds");
            resolver.set(at(all));
            try (ClientLoad load = new ClientLoad(stand)) {
                for (int i = 0; i < CHANGES; i++) {
                    resolver.set(at(some(all, random)));
                    TimeUnit.MILLISECONDS.sleep(CHANGE_MS);
                }
                load.assertAllServed();
            }
            resolver.set(at(all[0]));
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            for (int i = 1; i < all.length; i++) {
                RecordingBackend gone = all[i];
                assertThat(gone.connections()).isNotEmpty();
                awaitDrained(gone);
                Await.until("forgotten", () -> !stand.page("/clusters").contains(":" + gone.port() + " "));
                assertThat(stand.page("/metrics")).doesNotContain(":" + gone.port() + '"');
                assertThat(gone.problems()).isEmpty();
            }
            stand.awaitIdle();
            assertThat(stand.failures()).isZero();
            resolver.set(EMPTY);
            awaitDrained(all[0]);
            // two for whoever asks for the page itself
            Await.until("no descriptor is left over", () -> stand.metric("remora_process_open_fds") <= descriptors + 2);
        }
    }

    private static void awaitDrained(RecordingBackend backend) {
        Await.until("drained", () -> backend.openConnections() == 0);
    }

    private static RecordingBackend[] some(RecordingBackend[] all, Random random) {
        List<RecordingBackend> some = new ArrayList<>();
        for (RecordingBackend one : all) {
            if (random.nextBoolean()) {
                some.add(one);
            }
        }
        return some.isEmpty() ? new RecordingBackend[] {all[0]} : some.toArray(new RecordingBackend[0]);
    }

    /** A word that was on its way when its cluster went brings no endpoint back. */
    @Test
    void isNotHeardOnceItsClusterIsGone() throws IOException {
        RecordingBackend first = backends.start();
        RecordingBackend second = backends.start();
        SettableResolver before = new SettableResolver(at(first));
        SettableResolver after = new SettableResolver(at(second));
        Seams seams = new Seams() {
            @Override
            public Resolver resolver(ClusterConfig config, Shared shared) {
                return config.maxConnections() == 7 ? after : before;
            }
        };
        try (SeamStand stand = SeamStand.start(seams, 1)) {
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            stand.proxy().replace(SeamStand.config("", "max-connections: 7", 1));
            assertThat(before.ended()).isOne();
            Await.until("drained", () -> first.openConnections() == 0);
            before.set(EMPTY);
            before.set(at(first));
            // the loop has heard it by now, if it hears it
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            assertThat(stand.page("/metrics"))
                    .doesNotContain(":" + first.port() + '"')
                    .contains(":" + second.port() + '"');
            assertThat(first.requests()).hasSize(1);
            assertThat(second.requests()).hasSize(1);
        }
    }
}

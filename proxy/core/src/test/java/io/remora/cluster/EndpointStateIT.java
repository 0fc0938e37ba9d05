package io.remora.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ClusterConfig;
import io.remora.naming.Addr;
import io.remora.naming.Resolver;
import io.remora.seams.SeamStand;
import io.remora.seams.SettableResolver;
import io.remora.serving.Seams;
import io.remora.serving.Shared;
import io.remora.testkit.Await;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Stand;
import io.remora.transport.Loop;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What is shown of a source is what requests go by, on every loop. */
final class EndpointStateIT {
    private static final Addr EMPTY = new Addr.Empty();

    /** With the loops of the sidecar that it belongs to. */
    private static final class Settable extends Seams {
        private final SettableResolver source;

        Settable(SettableResolver source) {
            this.source = source;
        }

        @Override
        public Resolver resolver(ClusterConfig config, Shared shared) {
            return source;
        }
    }

    private static boolean isShown(SeamStand stand, String state) {
        return stand.metric("remora_resolver_state", '"' + state + '"') == 1;
    }

    private static long answers(SeamStand stand, String outcome) {
        return stand.metric("remora_resolver_answers_total", '"' + outcome + '"');
    }

    @Test
    void aStateIsShownOnceEveryLoopGoesByIt() {
        try (RecordingBackend backend = RecordingBackend.start()) {
            SettableResolver source = new SettableResolver(SettableResolver.bound(List.of(backend.port())));
            Settable seams = new Settable(source);
            try (SeamStand stand = SeamStand.start(seams, SeamStand.config("""
                    workers: 2
                    listeners:
                      - {name: test, address: "127.0.0.1:0", cluster: app}
                    clusters:
                      app:
                        resolver: {file: /nobody/reads/this}
                    """))) {
                assertThat(stand.get("/").bodyText()).isEqualTo("ok");
                CountDownLatch goOn = new CountDownLatch(1);
                Loop held = stand.loops().get(1);
                held.eventLoop().execute(() -> Stand.await(goOn));
                source.set(EMPTY);
                assertThat(stand.page("/clusters")).contains(" state=bound ").contains(" known=1 ");
                source.set(new Addr.Failed("gone"));
                source.set(EMPTY);
                assertThat(stand.page("/clusters")).contains(" state=bound ").contains(" known=1 ");
                goOn.countDown();
                Await.until("empty", () -> isShown(stand, "empty"));
                assertThat(stand.get("/").status()).isEqualTo(503);
                assertThat(answers(stand, "failed")).isOne();
                assertThat(answers(stand, "empty")).isEqualTo(2);
            }
        }
    }

    @Test
    void aSourceThatSaysTheSameAgainIsCounted() {
        try (RecordingBackend backend = RecordingBackend.start()) {
            Addr bound = SettableResolver.bound(List.of(backend.port()));
            SettableResolver source = new SettableResolver(bound);
            try (SeamStand stand = SeamStand.start(new Settable(source), SeamStand.config("""
                    listeners:
                      - {name: test, address: "127.0.0.1:0", cluster: app}
                    clusters:
                      app:
                        resolver: {file: /nobody/reads/this}
                    """))) {
                source.set(bound);
                Await.until("both", () -> answers(stand, "bound") == 2);
                source.set(new Addr.Failed("gone"));
                Await.until("failed", () -> isShown(stand, "failed"));
                assertThat(stand.get("/").bodyText()).isEqualTo("ok");
            }
        }
    }
}

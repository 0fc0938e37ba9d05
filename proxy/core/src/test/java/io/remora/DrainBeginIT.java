package io.remora;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.config.model.ClusterConfig;
import io.remora.config.model.LogLevel;
import io.remora.config.model.ProxyConfig;
import io.remora.engine.Engine;
import io.remora.engine.EngineCluster;
import io.remora.log.Log;
import io.remora.log.LogThrottle;
import io.remora.seams.SeamStand;
import io.remora.serving.Memory;
import io.remora.serving.ProcessFiles;
import io.remora.serving.Seams;
import io.remora.serving.Shared;
import io.remora.testkit.Await;
import io.remora.testkit.RecordingBackend;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whoever waits for a drain does not wait for ever, whatever keeps it from beginning. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class DrainBeginIT {
    private final RecordingBackend backend = RecordingBackend.start();
    private final PrintStream standardError = System.err;

    @AfterEach
    void close() {
        backend.close();
        System.setErr(standardError);
    }

    private Proxy start(Seams seams) throws IOException {
        ProxyConfig config = SeamStand.config("", "", backend.port());
        ProcessFiles files = new ProcessFiles();
        return Proxy.start(config, Memory.plan(config, files), files, seams, null, new CountDownLatch(1));
    }

    /** An engine that never says that its listeners are announced no more. */
    private static Seams silent() {
        return new Seams() {
            @Override
            public Engine engine(ProxyConfig config, Shared shared) throws IOException {
                Engine engine = super.engine(config, shared);
                return new Engine() {
                    @Override
                    public EngineCluster open(ClusterConfig cluster, @Nullable LogThrottle throttle)
                            throws IOException {
                        return engine.open(cluster, throttle);
                    }

                    @Override
                    public void unannounce(Runnable then) {}

                    @Override
                    public void close() {
                        engine.close();
                    }
                };
            }
        };
    }

    @Test
    void aDrainThatCannotBeginIsWaitedForAsLongAsAsked() throws IOException, InterruptedException {
        try (Proxy proxy = start(silent())) {
            proxy.drain();
            assertThat(proxy.awaitDrained(100)).isFalse();
        }
    }

    /** A second signal may come as late as that. */
    @Test
    void anEndAtOnceAfterTheLoopsHaveEndedIsIgnored() throws IOException {
        Proxy proxy = start(new Seams());
        proxy.close();
        proxy.endAtOnce();
        assertThat(proxy.ready()).isFalse();
    }

    @Test
    void theWaitForADrainEndsWithTheProcess() throws IOException, InterruptedException {
        Proxy proxy = start(silent());
        proxy.drain();
        CountDownLatch waits = new CountDownLatch(1);
        AtomicBoolean drained = new AtomicBoolean();
        Thread waiting = new Thread(() -> {
            waits.countDown();
            try {
                drained.set(proxy.awaitDrained(TimeUnit.HOURS.toMillis(1)));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        waiting.start();
        waits.await();
        proxy.close();
        waiting.join(Await.TIMEOUT_MS);
        assertThat(waiting.isAlive()).isFalse();
        assertThat(drained).as("nothing is in progress").isTrue();
    }

    @Test
    void theWaitForADrainThatFailsIsOver() throws IOException, InterruptedException {
        try (Proxy proxy = start(new Seams())) {
            System.setErr(new PrintStream(OutputStream.nullOutputStream()) {
                @Override
                public void write(byte[] octets, int from, int count) {
                    throw new IllegalStateException("no room");
                }
            });
            Log.level(LogLevel.INFO);
            try {
                assertThatThrownBy(proxy::drain).hasMessage("no room");
            } finally {
                Log.level(LogLevel.WARN);
                System.setErr(standardError);
            }
            assertThat(proxy.awaitDrained(TimeUnit.HOURS.toMillis(1))).isTrue();
        }
    }
}

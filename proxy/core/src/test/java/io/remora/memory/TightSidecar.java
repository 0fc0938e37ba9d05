package io.remora.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Command;
import io.remora.testkit.Metrics;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Setup;
import io.remora.testkit.SidecarProcess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A sidecar in a process of its own, with the heap and the buffers that the launcher gives {@code i386-client} under a limit of
 * 64 MiB. A process that runs out of heap ends with status 3, as the profiles have it.
 */
public final class TightSidecar implements AutoCloseable {
    /** A sidecar reads what the crowd sent before, which took 6 s with 14 busy processes on two cores. */
    private static final int CANARY_MS = 60_000;

    private static final List<String> OPTIONS = List.of(
            "-Xmx22m",
            "-XX:MaxDirectMemorySize=21757952",
            "-Dremora.peak=26600000",
            "-Dremora.limit=67108864",
            "-Dremora.limit.from=test");

    /** The same for a JDK of the machine's own and the profile {@code rps-1000}, under the least limit that the launcher accepts. */
    private static final List<String> LEAST = List.of(
            "-Xmx8m",
            "-XX:MaxDirectMemorySize=4194304",
            "-Dremora.peak=52500000",
            "-Dremora.limit=57753600",
            "-Dremora.limit.from=test");

    private final SidecarProcess process;

    private TightSidecar(SidecarProcess process) {
        this.process = process;
    }

    public static TightSidecar start(Path directory, Setup setup) throws IOException {
        return start(directory, setup.process("log-level: info").yaml());
    }

    /** With room for some twenty exchanges. */
    static TightSidecar startWithLeast(Path directory, Setup setup) throws IOException {
        String yaml = setup.process("log-level: info").yaml();
        return new TightSidecar(SidecarProcess.start(directory, List.of(), LEAST, yaml));
    }

    /** The same in a memory cgroup whose limit is in a file; the prefix runs what follows it inside. */
    static TightSidecar startIn(List<String> prefix, Path limitFile, Path directory, Setup setup) throws IOException {
        List<String> options = new ArrayList<>(LEAST);
        options.add("-Dremora.limit.from=" + limitFile);
        String yaml = setup.process("log-level: info").yaml();
        return new TightSidecar(SidecarProcess.start(directory, prefix, options, yaml));
    }

    /** The same under a limit that may change, with a peak that is above what it takes. */
    static TightSidecar startUnder(List<String> prefix, Path limitFile, long limit, Path directory, Setup setup)
            throws IOException {
        List<String> options = new ArrayList<>(LEAST);
        options.addAll(List.of("-Xms8m", "-Dremora.peak=80000000", "-Dremora.limit=" + limit));
        options.add("-Dremora.limit.from=" + limitFile);
        String yaml = setup.process("log-level: info").yaml();
        return new TightSidecar(SidecarProcess.start(directory, prefix, options, yaml));
    }

    /** With a whole file, which has an admin listener, a listener {@code test} and {@code log-level: info}. */
    public static TightSidecar start(Path directory, String yaml) throws IOException {
        return new TightSidecar(SidecarProcess.start(directory, List.of(), OPTIONS, yaml));
    }

    public String log() {
        return process.log();
    }

    /** Sends the process a signal: STOP, CONT. */
    void signal(String name) {
        Command.run(Path.of("/"), "kill", "-" + name, Long.toString(process.pid()))
                .good();
    }

    public InetSocketAddress address() {
        return process.address();
    }

    public Metrics metrics() {
        return Metrics.parse(page("/metrics"));
    }

    public String page(String path) {
        try (RawClient admin = admin()) {
            admin.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
            return admin.response().bodyText();
        } catch (IOException e) {
            throw new AssertionError(process.log(), e);
        }
    }

    /** A connection to the admin listener. */
    public RawClient admin() {
        return process.adminClient();
    }

    /** The status of a canary's request on a connection of its own: 200, or 503 while there is no room. */
    public int canary(String source) {
        try (RawClient client = RawClient.connectFrom(source, address())) {
            client.readTimeoutMs(CANARY_MS);
            RawResponse response = client.send("GET /canary HTTP/1.1\r\nHost: canary\r\nConnection: close\r\n\r\n")
                    .response();
            return response.status();
        } catch (IOException e) {
            throw new AssertionError(process.log(), e);
        }
    }

    /** The process goes on, and says something to a client of another address than the crowd's. */
    public void assertServes() {
        assertThat(process.isAlive()).as(process.log()).isTrue();
        assertThat(canary("127.0.0.2")).as(process.log()).isIn(200, 503);
        assertThat(process.isAlive()).as(process.log()).isTrue();
    }

    /** Returns once no exchange begins or ends between two looks, so that all that the crowd brings about has happened. */
    public void awaitStill() {
        AtomicLong before = new AtomicLong(-1);
        Await.until("nothing begins or ends", () -> {
            Metrics now = metrics();
            long moves = now.sum("remora_exchanges_started_total") + now.sum("remora_exchanges_finished_total");
            return before.getAndSet(moves) == moves;
        });
    }

    /** Waits until each exchange has lasted for the second before which it does not end for others. */
    public void awaitOld() {
        long[] started = {-1};
        long[] sinceNs = {0};
        Await.until("no exchange is younger than a second", () -> {
            long now = metrics().sum("remora_exchanges_started_total");
            if (now != started[0]) {
                started[0] = now;
                sinceNs[0] = System.nanoTime();
            }
            return System.nanoTime() - sinceNs[0] > 1_000_000_000L;
        });
    }

    /** With the crowd gone, the canary is served and nothing is held for anybody. */
    public void assertRecovers() {
        Await.until("200 again", () -> canary("127.0.0.2") == 200);
        awaitNothingHeld();
    }

    public void awaitNothingHeld() {
        Await.until("nothing held", () -> metrics().sum("remora_memory_heads_bytes") == 0);
        assertThat(process.isAlive()).as(process.log()).isTrue();
        assertThat(process.log()).doesNotContain("OutOfMemory");
    }

    @Override
    public void close() {
        process.close();
    }
}

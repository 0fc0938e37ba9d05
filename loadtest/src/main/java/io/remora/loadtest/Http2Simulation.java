package io.remora.loadtest;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SSLSocketFactory;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The load of the conformance test over HTTP/2, which Gatling speaks only behind TLS: an open model at a constant rate over connections that
 * stay, in the phases of {@link SidecarSimulation}, which it tells in the same words.
 *
 * <p>System properties: those of {@link SidecarSimulation} but {@code scheme}, and {@code protocol}, {@code h2} for GETs and a share of POSTs or
 * {@code grpc} for unary calls. {@code tls} is {@code tls} or {@code mtls} for TLS on the way to both, with those in the directory {@code certificates}.
 * A connection has as many streams as the server lets it, so that a request hardly ever waits for one.
 */
public final class Http2Simulation {
    private static final int STREAMS = 100;
    /** In steps, as the schedule of each is even. */
    private static final int RAMP_STEPS = 20;

    private static final long SECOND_NS = 1_000_000_000L;

    private final int rate = number("rate");
    private final @Nullable SSLSocketFactory tls = tls();
    private final Phase rehearsal = new Phase("rehearsal");
    private final Phase calibration = new Phase("calibration");
    private final Phase warmUp = new Phase("warm-up");
    private final Phase steady = new Phase("steady", SECOND_NS / rate);
    private final Tally latencies = new Tally(0);

    private Http2Simulation() {}

    public static void main(String[] arguments) throws InterruptedException {
        Http2Simulation simulation = new Http2Simulation();
        Runtime.getRuntime().addShutdownHook(new Thread(simulation::summarize));
        simulation.run();
        simulation.tell();
    }

    private void run() throws InterruptedException {
        int most = number("calibrationRate");
        long calibrationNs = number("calibrationSeconds") * SECOND_NS;
        long warmupNs = number("warmupSeconds") * SECOND_NS;
        List<Http2Load.Part> direct = ramp(most / 10.0, most, calibrationNs, new PhaseRequests(rehearsal, null));
        direct.add(new Http2Load.Part(most, calibrationNs, new PhaseRequests(calibration, null)));
        load("backend").run(direct);
        Requests before = new PhaseRequests(warmUp, null);
        List<Http2Load.Part> through = ramp(rate / 20.0, rate, warmupNs / 2, before);
        through.add(new Http2Load.Part(rate, warmupNs - warmupNs / 2, before));
        through.add(
                new Http2Load.Part(rate, number("steadySeconds") * SECOND_NS, new PhaseRequests(steady, latencies)));
        load("front").run(through);
    }

    private Http2Load load(String port) {
        Http2Load load = new Http2Load(number(port), number("connections"), STREAMS);
        load.secure(tls);
        return load;
    }

    private static @Nullable SSLSocketFactory tls() {
        String mode = System.getProperty("tls");
        return mode == null
                ? null
                : Certificates.of(mode, System.getProperty("certificates")).client();
    }

    private static List<Http2Load.Part> ramp(double from, double to, long ns, Requests requests) {
        List<Http2Load.Part> parts = new ArrayList<>();
        for (int step = 0; step < RAMP_STEPS; step++) {
            double reached = from + (to - from) * (step + 0.5) / RAMP_STEPS;
            parts.add(new Http2Load.Part(reached, ns / RAMP_STEPS, requests));
        }
        return parts;
    }

    /** At the end of the JVM, so that a run which is cut short is summed up as well. */
    private void summarize() {
        List.of(rehearsal, calibration, warmUp, steady).forEach(phase -> System.out.println(phase.summary()));
    }

    /** As Gatling tells its own. */
    private void tell() {
        Histogram found = latencies.interval("steady");
        tell("50th percentile", Percentiles.microseconds(found, 50));
        tell("99th percentile", Percentiles.microseconds(found, 99));
        tell("99.9th percentile", Percentiles.microseconds(found, 99.9));
        tell("max", found.getMaxValue() / 1e3);
    }

    private static void tell(String quantile, double us) {
        System.out.printf(Locale.ROOT, "steady GET: %s of response time is told (actual : %.3f)%n", quantile, us / 1e3);
    }

    static int number(String property) {
        return Integer.parseInt(System.getProperty(property));
    }
}

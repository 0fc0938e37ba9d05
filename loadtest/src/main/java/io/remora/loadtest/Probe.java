package io.remora.loadtest;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * The precise client: one keep-alive connection through the sidecar and one straight to the backend, each on a fixed schedule, the
 * two half a period apart. The difference of their latencies is what the sidecar adds for a caller, kernel queues included.
 *
 * <p>Arguments: the two ports, a path, requests a second on each. Commands: {@code begin} throws away what was; {@code end FILE} writes
 * an interval log with the tags {@code probe.proxy} and {@code probe.direct} and answers with requests, failures and percentiles of both.
 */
public final class Probe {
    private static final long LEAD_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final ProbeArm proxy;
    private final ProbeArm direct;

    private Probe(int proxyPort, int directPort, String path, long periodNs) {
        long firstNs = System.nanoTime() + LEAD_NS;
        proxy = new ProbeArm("proxy", proxyPort, path, periodNs, firstNs);
        direct = new ProbeArm("direct", directPort, path, periodNs, firstNs + periodNs / 2);
    }

    public static void main(String[] arguments) throws Exception {
        long periodNs = TimeUnit.SECONDS.toNanos(1) / Integer.parseInt(arguments[3]);
        Probe probe = new Probe(Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]), arguments[2], periodNs);
        start(probe.proxy, "proxy");
        start(probe.direct, "direct");
        Commands.serve(probe::answer);
    }

    private static void start(ProbeArm arm, String name) {
        Thread thread = new Thread(arm, name);
        thread.setDaemon(true);
        thread.start();
    }

    private String answer(String[] words) throws Exception {
        ProbeArm.Interval through = proxy.endInterval();
        ProbeArm.Interval straight = direct.endInterval();
        if (words[0].equals("begin")) {
            return "ok 1";
        }
        try (IntervalLog log = new IntervalLog(words[1])) {
            log.write("probe.proxy", through.latencies());
            log.write("probe.direct", straight.latencies());
        }
        return line("proxy_", through) + " " + line("direct_", straight);
    }

    private static String line(String prefix, ProbeArm.Interval interval) {
        Histogram latencies = interval.latencies();
        return prefix + "requests " + latencies.getTotalCount() + " " + prefix + "failed " + interval.failed() + " "
                + Percentiles.line(prefix, latencies);
    }
}

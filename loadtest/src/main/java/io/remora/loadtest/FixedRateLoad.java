package io.remora.loadtest;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLSocketFactory;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests at a fixed rate over keep-alive connections, each driven by a thread of its own.
 *
 * <p>Every GET of a path carries {@code X-Probe: N}, by which a packet capture finds it again on both sides of a proxy.
 */
final class FixedRateLoad {
    private static final long LEAD_NS = 200_000_000L;

    private final AtomicLong sent = new AtomicLong();
    private final List<Integer> ports;
    private final Http1Requests requests;
    private final double rate;
    private final @Nullable SSLSocketFactory tls;

    /** A connection to each port as often as it is named; the rate is that of all together. */
    private FixedRateLoad(List<Integer> ports, Http1Requests requests, double rate, @Nullable SSLSocketFactory tls) {
        this.ports = ports;
        this.requests = requests;
        this.rate = rate;
        this.tls = tls;
    }

    static FixedRateLoad onPort(int port, String path, double rate, int connections) {
        return onPort(port, path, rate, connections, null);
    }

    /** Over HTTPS where there is a factory for it. */
    static FixedRateLoad onPort(int port, String path, double rate, int connections, @Nullable SSLSocketFactory tls) {
        return onPort(port, Connection.gets(path), rate, connections, tls);
    }

    /** Makes a load that sends the request of each id; ids count from 1. */
    static FixedRateLoad onPort(
            int port, Http1Requests requests, double rate, int connections, @Nullable SSLSocketFactory tls) {
        return new FixedRateLoad(Collections.nCopies(connections, port), requests, rate, tls);
    }

    static FixedRateLoad herd(List<Integer> ports, String path, double rateEach) {
        return new FixedRateLoad(ports, Connection.gets(path), rateEach * ports.size(), null);
    }

    /** What became of the requests: failures of the warm-up count, its latencies do not. */
    record Result(Histogram latencies, long failed) {}

    Result run(long warmupNs, long measuredNs) throws InterruptedException {
        long startNs = System.nanoTime() + LEAD_NS;
        long countFromNs = startNs + warmupNs;
        long periodNs = (long) (1e9 * ports.size() / rate);
        List<Thread> threads = new ArrayList<>();
        List<Tally> tallies = new ArrayList<>();
        for (int i = 0; i < ports.size(); i++) {
            long firstNs = startNs + periodNs * i / ports.size();
            Tally tally = new Tally(countFromNs);
            tallies.add(tally);
            threads.add(connection(i, new Schedule(firstNs, periodNs, countFromNs + measuredNs), tally)
                    .start());
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return sum(tallies);
    }

    private PacedConnection connection(int index, Schedule schedule, Tally tally) {
        int port = ports.get(index);
        return new PacedConnection(
                "connection " + index + " to port " + port,
                new Connection(port, requests, tls),
                schedule,
                () -> Long.toString(sent.incrementAndGet()),
                tally);
    }

    private static Result sum(List<Tally> tallies) {
        Histogram all = Percentiles.histogram();
        long failed = 0;
        for (Tally tally : tallies) {
            all.add(tally.interval("load"));
            failed += tally.failed();
        }
        return new Result(all, failed);
    }
}

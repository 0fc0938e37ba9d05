package io.remora.loadtest;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLSocketFactory;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The precise client: {@code Probe PROXY_PORT DIRECT PATH RATE [tls|mtls DIRECTORY] [h2|grpc:BYTES]} keeps one connection through the sidecar and one
 * straight to the backend, each at that many requests a second, half a period apart, until standard input ends.
 *
 * <pre>
 * begin       throw away what was: "ok 1"
 * end FILE    write a log with tags probe.proxy and probe.direct, answer "seconds X proxy_requests N
 * proxy_failed N proxy_p50_us X ..."
 *             and the same for direct_; X seconds are from begin to end
 * </pre>
 *
 * Both arms are alike but for the port, TLS and HTTP/2 included, so that their difference is what the sidecar adds. A request belongs to the
 * window in which it was planned; one that is not answered soon after the window's end counts as failed.
 */
public final class Probe {
    private static final long GRACE_NS = 10_000_000_000L;
    private static final long POLL_NS = 1_000_000;

    private final AtomicLong sent = new AtomicLong();
    private final @Nullable SSLSocketFactory tls;
    private final @Nullable String http2;
    private final PacedConnection proxy;
    private final PacedConnection direct;
    private long beganNs;

    private Probe(
            int proxyPort,
            InetSocketAddress directAddress,
            String path,
            double rate,
            @Nullable Certificates certificates,
            @Nullable String http2) {
        this.http2 = http2;
        tls = certificates == null ? null : certificates.client();
        long nowNs = System.nanoTime();
        beganNs = nowNs;
        long periodNs = (long) (1e9 / rate);
        proxy = arm("proxy", address(Integer.toString(proxyPort)), path, new Schedule(nowNs, periodNs, Long.MAX_VALUE));
        direct = arm("direct", directAddress, path, new Schedule(nowNs + periodNs / 2, periodNs, Long.MAX_VALUE));
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Probe probe = new Probe(
                Integer.parseInt(arguments[0]),
                address(arguments[1]),
                arguments[2],
                Double.parseDouble(arguments[3]),
                arguments.length >= 6 ? Certificates.of(arguments[4], arguments[5]) : null,
                arguments.length % 2 == 1 ? arguments[arguments.length - 1] : null);
        probe.proxy.start();
        probe.direct.start();
        Commands.serve(Map.of("begin", words -> probe.begin(), "end", words -> probe.end(words[1])));
    }

    /** A port of this machine, or {@code HOST:PORT} of another, over HTTP/1.1 without TLS. */
    private static InetSocketAddress address(String text) {
        int colon = text.lastIndexOf(':');
        int port = Integer.parseInt(text.substring(colon + 1));
        return colon < 0
                ? new InetSocketAddress(InetAddress.getLoopbackAddress(), port)
                : new InetSocketAddress(text.substring(0, colon), port);
    }

    private PacedConnection arm(String name, InetSocketAddress address, String path, Schedule schedule) {
        Requester connection = http2 == null
                ? new Connection(address, path, tls)
                : new Http2Requester(address.getPort(), Http2Request.of(http2, path), tls);
        Tally tally = new Tally(schedule.firstNs());
        return new PacedConnection(name, connection, schedule, () -> "p" + sent.incrementAndGet(), tally);
    }

    private String begin() {
        beganNs = System.nanoTime();
        proxy.tally().begin(beganNs);
        direct.tally().begin(beganNs);
        return Commands.OK;
    }

    private String end(String file) throws IOException {
        long endNs = System.nanoTime();
        proxy.tally().end(endNs);
        direct.tally().end(endNs);
        while (proxy.owed(endNs) + direct.owed(endNs) > 0 && System.nanoTime() - endNs < GRACE_NS) {
            LockSupport.parkNanos(POLL_NS);
        }
        Histogram proxied = proxy.tally().interval("probe.proxy");
        Histogram straight = direct.tally().interval("probe.direct");
        IntervalLog.write(file, List.of(proxied, straight));
        return String.format(
                Locale.ROOT,
                "seconds %.3f %s %s",
                (endNs - beganNs) / 1e9,
                figures("proxy_", proxied, proxy, endNs),
                figures("direct_", straight, direct, endNs));
    }

    private static String figures(String prefix, Histogram latencies, PacedConnection arm, long endNs) {
        return prefix + "requests " + latencies.getTotalCount() + " " + prefix + "failed "
                + (arm.tally().failed() + arm.owed(endNs)) + " " + Percentiles.line(prefix, latencies);
    }
}

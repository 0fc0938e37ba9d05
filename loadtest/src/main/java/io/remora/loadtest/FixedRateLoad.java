package io.remora.loadtest;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Sends GETs at a fixed rate over keep-alive connections; latencies count from the planned send time.
 *
 * <p>Open loop per connection: a late response delays the requests behind it, and their latency says so. Every request
 * carries {@code X-Probe: N}, by which a packet capture finds it again on both sides of a proxy.
 */
final class FixedRateLoad {
    private static final long LEAD_NS = 200_000_000L;

    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong sent = new AtomicLong();
    private final int port;
    private final String path;
    private final int rate;
    private final int connections;

    FixedRateLoad(int port, String path, int rate, int connections) {
        this.port = port;
        this.path = path;
        this.rate = rate;
        this.connections = connections;
    }

    long failed() {
        return failed.get();
    }

    /** What was answered in the time after the warm-up. */
    Histogram run(long warmupNs, long measuredNs) throws InterruptedException {
        long startNs = System.nanoTime() + LEAD_NS;
        List<Thread> threads = new ArrayList<>();
        List<Histogram> histograms = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            Histogram histogram = Percentiles.histogram();
            histograms.add(histogram);
            int index = i;
            Thread thread = new Thread(
                    () -> drive(index, startNs, startNs + warmupNs, startNs + warmupNs + measuredNs, histogram));
            thread.start();
            threads.add(thread);
        }
        Histogram all = Percentiles.histogram();
        for (int i = 0; i < connections; i++) {
            threads.get(i).join();
            all.add(histograms.get(i));
        }
        return all;
    }

    private void drive(int index, long startNs, long countFromNs, long endNs, Histogram histogram) {
        long periodNs = 1_000_000_000L * connections / rate;
        long plannedNs = startNs + periodNs * index / connections;
        try (Socket socket = new Socket()) {
            socket.setTcpNoDelay(true);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            socket.setSoTimeout(10_000);
            ResponseReader responses = new ResponseReader(socket.getInputStream());
            OutputStream out = socket.getOutputStream();
            while (plannedNs < endNs) {
                for (long now = System.nanoTime(); now < plannedNs; now = System.nanoTime()) {
                    LockSupport.parkNanos(plannedNs - now);
                }
                out.write(request());
                if (responses.read() / 100 != 2) {
                    failed.incrementAndGet();
                }
                if (plannedNs >= countFromNs) {
                    histogram.recordValue(Percentiles.inRange(System.nanoTime() - plannedNs));
                }
                plannedNs += periodNs;
            }
        } catch (IOException e) {
            failed.incrementAndGet();
            System.err.println("connection " + index + ": " + e);
        }
    }

    private byte[] request() {
        String text =
                "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: fixed-rate\r\nAccept: */*\r\nX-Probe: "
                        + sent.incrementAndGet() + "\r\n\r\n";
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}

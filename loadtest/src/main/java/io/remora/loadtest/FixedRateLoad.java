package io.remora.loadtest;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
    private static final long HIGHEST_NS = 60_000_000_000L;
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
            Histogram histogram = new Histogram(1_000, HIGHEST_NS, 3);
            histograms.add(histogram);
            int index = i;
            Thread thread = new Thread(
                    () -> drive(index, startNs, startNs + warmupNs, startNs + warmupNs + measuredNs, histogram));
            thread.start();
            threads.add(thread);
        }
        Histogram all = new Histogram(1_000, HIGHEST_NS, 3);
        for (int i = 0; i < connections; i++) {
            threads.get(i).join();
            all.add(histograms.get(i));
        }
        return all;
    }

    private void drive(int index, long startNs, long countFromNs, long endNs, Histogram histogram) {
        long periodNs = 1_000_000_000L * connections / rate;
        long plannedNs = startNs + periodNs * index / connections;
        byte[] buffer = new byte[65_536];
        try (Socket socket = new Socket()) {
            socket.setTcpNoDelay(true);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            socket.setSoTimeout(10_000);
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            while (plannedNs < endNs) {
                for (long now = System.nanoTime(); now < plannedNs; now = System.nanoTime()) {
                    LockSupport.parkNanos(plannedNs - now);
                }
                out.write(request());
                readResponse(in, buffer);
                if (plannedNs >= countFromNs) {
                    histogram.recordValue(Math.min(System.nanoTime() - plannedNs, HIGHEST_NS));
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

    private void readResponse(InputStream in, byte[] buffer) throws IOException {
        int filled = 0;
        int headEnd = -1;
        int wanted = Integer.MAX_VALUE;
        while (filled < wanted) {
            int read = in.read(buffer, filled, buffer.length - filled);
            if (read < 0) {
                throw new IOException("closed in the middle of a response");
            }
            filled += read;
            if (headEnd < 0) {
                String text = new String(buffer, 0, filled, StandardCharsets.ISO_8859_1);
                headEnd = text.indexOf("\r\n\r\n");
                if (headEnd >= 0) {
                    wanted = headEnd
                            + 4
                            + contentLength(text.substring(0, headEnd).toLowerCase(Locale.ROOT));
                }
            }
        }
        if (buffer[9] != '2') {
            failed.incrementAndGet();
        }
    }

    private static int contentLength(String head) {
        int at = head.indexOf("\r\ncontent-length:");
        int end = head.indexOf("\r\n", at + 2);
        return Integer.parseInt(
                head.substring(at + 17, end < 0 ? head.length() : end).trim());
    }
}

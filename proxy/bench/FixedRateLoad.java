import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
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
 * Sends GETs at a fixed rate over keep-alive connections and prints the latencies, counted from the planned send time.
 *
 * <p>Open loop per connection: a late response delays the requests behind it, and their latency says so. Every request carries
 * {@code X-Probe: N}, by which a packet capture finds it again on both sides of a proxy.
 *
 * <p>Usage: {@code FixedRateLoad PORT PATH RATE CONNECTIONS WARMUP_SECONDS SECONDS}
 */
public final class FixedRateLoad {
    private static final AtomicLong FAILED = new AtomicLong();
    private static final AtomicLong SENT = new AtomicLong();

    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0]);
        String path = arguments[1];
        int rate = Integer.parseInt(arguments[2]);
        int connections = Integer.parseInt(arguments[3]);
        long warmupNs = Long.parseLong(arguments[4]) * 1_000_000_000L;
        long endNs = warmupNs + Long.parseLong(arguments[5]) * 1_000_000_000L;
        long startNs = System.nanoTime() + 200_000_000L;
        List<Thread> threads = new ArrayList<>();
        List<Histogram> histograms = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            Histogram histogram = new Histogram(1_000, 60_000_000_000L, 3);
            histograms.add(histogram);
            int index = i;
            Thread thread = new Thread(() -> drive(port, path, rate, connections, index, startNs, warmupNs, endNs, histogram));
            thread.start();
            threads.add(thread);
        }
        Histogram all = new Histogram(1_000, 60_000_000_000L, 3);
        for (int i = 0; i < connections; i++) {
            threads.get(i).join();
            all.add(histograms.get(i));
        }
        System.out.printf(
                Locale.ROOT,
                "requests %d failed %d rate %.1f p50_us %.1f p90_us %.1f p99_us %.1f p999_us %.1f max_us %.1f%n",
                all.getTotalCount(),
                FAILED.get(),
                all.getTotalCount() * 1e9 / (endNs - warmupNs),
                all.getValueAtPercentile(50) / 1e3,
                all.getValueAtPercentile(90) / 1e3,
                all.getValueAtPercentile(99) / 1e3,
                all.getValueAtPercentile(99.9) / 1e3,
                all.getMaxValue() / 1e3);
        if (FAILED.get() > 0) {
            System.exit(1);
        }
    }

    private static void drive(
            int port, String path, int rate, int connections, int index, long startNs, long warmupNs, long endNs, Histogram histogram) {
        long periodNs = 1_000_000_000L * connections / rate;
        long plannedNs = startNs + periodNs * index / connections;
        byte[] buffer = new byte[65_536];
        try (Socket socket = new Socket()) {
            socket.setTcpNoDelay(true);
            socket.connect(new InetSocketAddress("127.0.0.1", port));
            socket.setSoTimeout(10_000);
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            while (plannedNs - startNs < endNs) {
                for (long now = System.nanoTime(); now < plannedNs; now = System.nanoTime()) {
                    LockSupport.parkNanos(plannedNs - now);
                }
                String request = "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: fixed-rate\r\nAccept: */*\r\nX-Probe: "
                        + SENT.incrementAndGet() + "\r\n\r\n";
                out.write(request.getBytes(StandardCharsets.US_ASCII));
                readResponse(in, buffer);
                if (plannedNs - startNs >= warmupNs) {
                    histogram.recordValue(Math.min(System.nanoTime() - plannedNs, 60_000_000_000L));
                }
                plannedNs += periodNs;
            }
        } catch (IOException e) {
            FAILED.incrementAndGet();
            System.err.println("connection " + index + ": " + e);
        }
    }

    private static void readResponse(InputStream in, byte[] buffer) throws IOException {
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
                    wanted = headEnd + 4 + contentLength(text.substring(0, headEnd).toLowerCase(Locale.ROOT));
                }
            }
        }
        if (buffer[9] != '2') {
            FAILED.incrementAndGet();
        }
    }

    private static int contentLength(String head) {
        int at = head.indexOf("\r\ncontent-length:");
        int end = head.indexOf("\r\n", at + 2);
        return Integer.parseInt(head.substring(at + 17, end < 0 ? head.length() : end).trim());
    }
}

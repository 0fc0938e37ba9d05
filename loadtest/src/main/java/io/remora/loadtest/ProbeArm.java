package io.remora.loadtest;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * One connection of the probe: a request in each slot of a fixed schedule, its latency counted from the planned time.
 *
 * <p>A slot that comes while the answer before is awaited is sent late, never left out. A connection that fails counts as one failed
 * request, and is opened again. Run by a thread of its own; {@link #endInterval} may be called by another.
 */
final class ProbeArm implements Runnable {
    private static final int TIMEOUT_MS = 5_000;

    private final SingleWriterRecorder recorder = Percentiles.recorder();
    private final AtomicLong failed = new AtomicLong();
    private final String name;
    private final int port;
    private final String path;
    private final long periodNs;
    private final long firstNs;
    private long sent;

    /** The first request is planned for a time of {@link System#nanoTime}. */
    ProbeArm(String name, int port, String path, long periodNs, long firstNs) {
        this.name = name;
        this.port = port;
        this.path = path;
        this.periodNs = periodNs;
        this.firstNs = firstNs;
    }

    /** What was measured since the last interval, and how many requests failed in it. */
    record Interval(Histogram latencies, long failed) {}

    Interval endInterval() {
        return new Interval(recorder.getIntervalHistogram(), failed.getAndSet(0));
    }

    @Override
    public void run() {
        while (true) {
            try (Socket socket = new Socket()) {
                socket.setTcpNoDelay(true);
                socket.setSoTimeout(TIMEOUT_MS);
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MS);
                converse(socket);
            } catch (IOException e) {
                failed.incrementAndGet();
                sent++;
                awaitSlot(sent);
            }
        }
    }

    private void converse(Socket socket) throws IOException {
        ResponseReader responses = new ResponseReader(socket.getInputStream());
        while (true) {
            long plannedNs = awaitSlot(sent);
            socket.getOutputStream().write(request());
            if (responses.read() != 200) {
                failed.incrementAndGet();
            }
            recorder.recordValue(Percentiles.inRange(System.nanoTime() - plannedNs));
            sent++;
        }
    }

    private long awaitSlot(long slot) {
        long plannedNs = firstNs + slot * periodNs;
        for (long nowNs = System.nanoTime(); nowNs < plannedNs; nowNs = System.nanoTime()) {
            LockSupport.parkNanos(plannedNs - nowNs);
        }
        return plannedNs;
    }

    private byte[] request() {
        String text = "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: probe\r\nX-Probe: p-" + name + "-"
                + sent + "\r\n\r\n";
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}

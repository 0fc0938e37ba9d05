package io.remora.loadtest;

import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/** Sends requests at a rate over connections of HTTP/2 that stay, each with several streams and driven by threads of its own. */
final class Http2Load {
    static final long LEAD_NS = 200_000_000L;

    private final int port;
    private final int connections;
    private final int streams;
    private @Nullable Http2Request stalled;
    private @Nullable SSLSocketFactory tls;

    /** A part of the load; a rate of 0 is a pause. */
    record Part(double rate, long ns, Requests requests) {}

    Http2Load(int port, int connections, int streams) {
        this.port = port;
        this.connections = connections;
        this.streams = streams;
    }

    /** Has each connection begin with a request whose answer, a large one, is never read to its end. */
    void stall(Http2Request request) {
        stalled = request;
    }

    /** Has each connection be one over TLS. */
    void secure(@Nullable SSLSocketFactory factory) {
        tls = factory;
    }

    /** Runs the parts one after the other. */
    void run(List<Part> parts) throws InterruptedException {
        run(System.nanoTime() + LEAD_NS, parts);
    }

    void run(long startNs, List<Part> parts) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            String name = "connection " + i + " to port " + port;
            threads.add(new PacedStreams(name, port, stretches(i, startNs, parts), streams, stalled, tls).start());
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** What one connection does of it: every so manieth request. */
    private List<PacedStreams.Stretch> stretches(int index, long startNs, List<Part> parts) {
        List<PacedStreams.Stretch> found = new ArrayList<>();
        long fromNs = startNs;
        for (Part part : parts) {
            long untilNs = fromNs + part.ns();
            if (part.rate() > 0) {
                long periodNs = (long) (1e9 * connections / part.rate());
                Schedule schedule = new Schedule(fromNs + periodNs * index / connections, periodNs, untilNs);
                found.add(new PacedStreams.Stretch(schedule, part.requests()));
            }
            fromNs = untilNs;
        }
        return found;
    }
}

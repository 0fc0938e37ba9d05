package io.remora.loadtest;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The requests of a phase of {@link Http2Simulation}, whose system properties they follow. Safe for use by many threads. */
final class PhaseRequests implements Requests {
    private static final String CALL = "/loadtest.Application/Unary";

    private final AtomicLong sent = new AtomicLong();
    private final boolean mayFail = Http2Simulation.number("mayFail") == 1;
    private final int postShare = Http2Simulation.number("postShare");
    private final Phase phase;
    private final @Nullable Tally tally;
    private final Http2Request often;
    private final Http2Request seldom;

    PhaseRequests(Phase phase, @Nullable Tally tally) {
        this.phase = phase;
        this.tally = tally;
        int bytes = Http2Simulation.number("bodyBytes");
        boolean grpc = "grpc".equals(System.getProperty("protocol"));
        often = grpc ? Http2Request.grpc(CALL, bytes) : Http2Request.get("/body");
        seldom = grpc ? often : Http2Request.post("/body", bytes);
    }

    /** Of a hundred requests so many are the seldom one, at even distances. */
    @Override
    public Http2Request next() {
        phase.begin();
        long number = sent.getAndIncrement();
        return number * postShare / 100 == (number + 1) * postShare / 100 ? often : seldom;
    }

    @Override
    public void answered(Http2Request request, long dueNs, long nowNs, int status) {
        boolean good = status == 200 || mayFail && status == Http2Connection.ERROR;
        phase.end(!good);
        if (good && tally != null) {
            tally.done(dueNs, nowNs);
        }
    }

    @Override
    public void lost(long dueNs) {
        phase.end(true);
    }

    @Override
    public boolean goesOn() {
        return !phase.isHopeless();
    }
}

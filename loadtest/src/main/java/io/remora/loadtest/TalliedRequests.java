package io.remora.loadtest;

import java.util.function.Supplier;

/** Requests of a source, with a count of those that failed and the latencies of the others. */
record TalliedRequests(Supplier<Http2Request> source, Tally tally) implements Requests {
    /** Repeats one request. */
    TalliedRequests(Http2Request same, Tally tally) {
        this(() -> same, tally);
    }

    @Override
    public Http2Request next() {
        return source.get();
    }

    @Override
    public void answered(Http2Request request, long dueNs, long nowNs, int status) {
        if (request.good().has(status)) {
            tally.done(dueNs, nowNs);
        } else {
            tally.failed(dueNs, 1);
        }
    }

    @Override
    public void lost(long dueNs) {
        tally.failed(dueNs, 1);
    }

    @Override
    public boolean goesOn() {
        return true;
    }
}

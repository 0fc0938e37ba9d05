package io.remora.loadtest;

/** The same request again and again, with a count of those that failed and the latencies of the others. */
record TalliedRequests(Http2Request next, Tally tally) implements Requests {
    @Override
    public void answered(long dueNs, long nowNs, int status) {
        if (status >= 200 && status <= 299) {
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

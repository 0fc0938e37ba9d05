package io.remora.loadtest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** Recorded requests over HTTP/2, in turn and again from the first. Safe for use by many threads. */
final class RecordedRequests implements Requests {
    private final AtomicLong sent = new AtomicLong();
    private final List<Http2Request> all;
    private final Tally tally;

    RecordedRequests(List<Http2Request> all, Tally tally) {
        this.all = all;
        this.tally = tally;
    }

    /** A file of one request a line, as {@link RecordedRequest#read} has it. */
    static List<RecordedRequest> read(String file) throws IOException {
        List<RecordedRequest> found = Files.readAllLines(Path.of(file)).stream()
                .map(RecordedRequest::read)
                .toList();
        if (found.isEmpty()) {
            throw new IOException(file + " has no requests");
        }
        return found;
    }

    /** The same over HTTP/1.1: the request of each id, which counts from 1. */
    static Function<String, byte[]> http1(String file) throws IOException {
        List<byte[]> all = read(file).stream().map(RecordedRequest::http1).toList();
        return id -> all.get((int) ((Long.parseLong(id) - 1) % all.size()));
    }

    @Override
    public Http2Request next() {
        return all.get((int) (sent.getAndIncrement() % all.size()));
    }

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

package io.remora.loadtest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;

/** Recorded requests as sources of a load, over HTTP/1.1 and HTTP/2. */
final class RecordedRequests {
    private RecordedRequests() {}

    /** Reads a file of one request a line, as {@link RecordedRequest#read} has it. */
    static List<RecordedRequest> read(String file) throws IOException {
        List<RecordedRequest> found = Files.readAllLines(Path.of(file)).stream()
                .map(RecordedRequest::read)
                .toList();
        if (found.isEmpty()) {
            throw new IOException(file + " has no requests");
        }
        return found;
    }

    /** Returns the requests of a file over HTTP/1.1, by id; ids count from 1. */
    static Function<String, byte[]> http1(String file) throws IOException {
        List<byte[]> all = read(file).stream().map(RecordedRequest::http1).toList();
        return id -> all.get((int) ((Long.parseLong(id) - 1) % all.size()));
    }

    /** Returns a source of the requests over HTTP/2, in turn and again from the first. Any thread may use it. */
    static Supplier<Http2Request> http2(List<Http2Request> all) {
        AtomicLong sent = new AtomicLong();
        return () -> all.get((int) (sent.getAndIncrement() % all.size()));
    }
}

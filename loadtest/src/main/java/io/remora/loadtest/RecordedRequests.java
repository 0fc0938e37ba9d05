package io.remora.loadtest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** Recorded requests as sources of a load, over HTTP/1.1 and HTTP/2. */
final class RecordedRequests {
    private RecordedRequests() {}

    private record InTurn(List<byte[]> octets, List<GoodStatus> good) implements Http1Requests {
        @Override
        public byte[] octets(String id) {
            return of(id, octets);
        }

        @Override
        public GoodStatus good(String id) {
            return of(id, good);
        }

        private static <T> T of(String id, List<T> all) {
            return all.get((int) ((Long.parseLong(id) - 1) % all.size()));
        }
    }

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
    static Http1Requests http1(String file) throws IOException {
        List<RecordedRequest> all = read(file);
        return new InTurn(
                all.stream().map(RecordedRequest::http1).toList(),
                all.stream().map(one -> GoodStatus.recorded(one.statusClass())).toList());
    }

    /** Returns a source of the requests over HTTP/2, in turn and again from the first. Any thread may use it. */
    static Supplier<Http2Request> http2(List<Http2Request> all) {
        AtomicLong sent = new AtomicLong();
        return () -> all.get((int) (sent.getAndIncrement() % all.size()));
    }
}

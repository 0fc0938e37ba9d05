package io.remora.loadtest;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What became of each request, a line each, in the order of their ends: when it was due in microseconds since 1970, by how many it was sent
 * late, after how many it was answered, the status or what went wrong, and who answered ({@code -} for nobody). Thread safe.
 */
final class OutcomeFile {
    private final BufferedWriter file;
    private long requests;
    private long failed;
    private boolean closed;

    OutcomeFile(String path) throws IOException {
        file = Files.newBufferedWriter(Path.of(path));
    }

    synchronized void add(long dueUs, long lateUs, long latencyUs, String outcome, String server) throws IOException {
        if (closed) {
            return;
        }
        requests++;
        if (!outcome.startsWith("2")) {
            failed++;
        }
        String who = server.isEmpty() ? "-" : server;
        file.write(dueUs + " " + lateUs + " " + latencyUs + " " + outcome + " " + who + "\n");
    }

    /** The sums. */
    synchronized String close() throws IOException {
        closed = true;
        file.close();
        return "requests " + requests + " failed " + failed;
    }
}

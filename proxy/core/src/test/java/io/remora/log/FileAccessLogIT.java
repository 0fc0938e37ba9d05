package io.remora.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.log.AccessLogConfig.Format;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class FileAccessLogIT {
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(20);
    /** What Linux gives a new pipe. */
    private static final int PIPE_BYTES = 64 * 1024;

    @TempDir
    Path directory;

    @Test
    void closeFlushesWhatIsQueued() throws IOException {
        Path file = directory.resolve("access.json");
        AccessLog log = open(file, 20_000);
        for (int i = 0; i < 10_000; i++) {
            log.log(Entries.target("/" + i));
        }
        log.close();
        List<String> lines = Files.readAllLines(file, StandardCharsets.US_ASCII);
        assertThat(lines).hasSize(10_000);
        for (int i = 0; i < lines.size(); i++) {
            assertThat(StrictJson.object(lines.get(i))).containsEntry("target", "/" + i);
        }
        assertThat(log.dropped()).isZero();
    }

    @Test
    void linesReachTheFileWithoutAClose() throws IOException {
        Path file = directory.resolve("access.json");
        Files.writeString(file, "before\n");
        try (AccessLog log = open(file, 100)) {
            for (int i = 0; i < 20; i++) {
                log.log(Entries.target("/" + i));
                awaitLines(file, i + 2);
            }
        }
        assertThat(Files.readAllLines(file).get(0)).isEqualTo("before");
    }

    @Test
    void anEntryAfterTheCloseIsDroppedAndCounted() throws IOException {
        AccessLog log = open(directory.resolve("access.json"), 100);
        log.close();
        log.log(Entries.target("/late"));
        assertThat(log.dropped()).isEqualTo(1);
    }

    @Test
    void aFullQueueDropsAndNeverBlocks() throws Exception {
        Path pipe = pipe();
        // Holding both ends open lets the writer open it; it is full, and nobody reads.
        try (RandomAccessFile holder = new RandomAccessFile(pipe.toFile(), "rw")) {
            holder.write(new byte[PIPE_BYTES]);
            AccessLog log = open(pipe, 64);
            int offered = 20_000;
            long startNs = System.nanoTime();
            for (int i = 0; i < offered; i++) {
                log.log(Entries.target("/" + i));
            }
            assertThat(System.nanoTime() - startNs).isLessThan(DEADLINE_NS);
            assertThat(log.dropped()).isPositive();
            long closeNs = System.nanoTime();
            log.close();
            assertThat(System.nanoTime() - closeNs).isBetween(900_000_000L, DEADLINE_NS);
            holder.readFully(new byte[PIPE_BYTES]);
            assertWhatWasTakenComesOut(holder, log, offered);
        }
    }

    private static void assertWhatWasTakenComesOut(RandomAccessFile pipe, AccessLog log, int offered)
            throws IOException {
        StringBuilder read = new StringBuilder();
        byte[] buffer = new byte[8_192];
        long taken = offered - log.dropped();
        long lines = 0;
        while (lines < taken) {
            int count = pipe.read(buffer);
            for (int i = 0; i < count; i++) {
                lines += buffer[i] == '\n' ? 1 : 0;
            }
            read.append(new String(buffer, 0, count, StandardCharsets.US_ASCII));
        }
        assertThat(lines).isEqualTo(taken);
        read.toString().lines().forEach(StrictJson::object);
    }

    @Test
    void aPipeWithoutAReaderStopsNeitherTheStartNorTheEnd() throws Exception {
        Path pipe = pipe();
        AccessLog log = open(pipe, 8);
        for (int i = 0; i < 1_000; i++) {
            log.log(Entries.target("/" + i));
        }
        log.close();
        assertThat(log.dropped()).isPositive();
        // Sets the writer free, which still stands in open(2).
        try (InputStream reader = Files.newInputStream(pipe)) {
            assertThat(new String(reader.readAllBytes(), StandardCharsets.US_ASCII))
                    .startsWith("{\"time\":");
        }
    }

    @Test
    void aMovedFileIsFollowedByANewOne() throws IOException {
        Path file = directory.resolve("access.json");
        Path moved = directory.resolve("access.json.1");
        int logged = 1;
        try (AccessLog log = open(file, 100)) {
            log.log(Entries.target("/first"));
            awaitLines(file, 1);
            Files.move(file, moved);
            logged += logUntilWritten(log, file);
        }
        assertThat(Files.readString(moved)).contains("\"/first\"");
        assertThat(Files.readAllLines(moved).size() + Files.readAllLines(file).size())
                .isEqualTo(logged);
    }

    @Test
    void aFileThatWasCutIsWrittenFromItsNewEnd() throws IOException {
        Path file = directory.resolve("access.json");
        try (AccessLog log = open(file, 100)) {
            log.log(Entries.target("/1"));
            awaitLines(file, 1);
            new FileOutputStream(file.toFile()).close();
            logUntilWritten(log, file);
        }
        Files.readAllLines(file).forEach(StrictJson::object);
    }

    /** The file of a process that was killed in the middle of a line, or met a full disk. */
    @Test
    void aLineThatWasCutIsNotGluedToTheNext() throws IOException {
        Path file = directory.resolve("access.json");
        Files.writeString(file, "whole\n{\"half");
        try (AccessLog log = open(file, 100)) {
            log.log(Entries.target("/1"));
            awaitLines(file, 3);
        }
        assertThat(Files.readString(file)).startsWith("whole\n{\"half\n{\"").endsWith("}\n");
    }

    @Test
    void aBadPathIsToldAtTheStart() {
        assertThatThrownBy(() -> open(directory.resolve("no/such/directory"), 8))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no/such/directory");
    }

    @Test
    void linesThatCannotBeWrittenAreCounted() throws IOException {
        try (AccessLog log = FileAccessLog.open(new AccessLogConfig(Format.COMBINED, "/dev/full", 100))) {
            log.log(Entries.target("/1"));
            log.log(Entries.target("/2"));
            long endNs = System.nanoTime() + DEADLINE_NS;
            while (log.dropped() < 2 && System.nanoTime() - endNs < 0) {
                Thread.onSpinWait();
            }
            assertThat(log.dropped()).isEqualTo(2);
        }
    }

    private static int logUntilWritten(AccessLog log, Path file) throws IOException {
        int logged = 0;
        long endNs = System.nanoTime() + DEADLINE_NS;
        while (!Files.exists(file) || !Files.readString(file).contains("\"/last\"")) {
            assertThat(System.nanoTime()).isLessThan(endNs);
            log.log(Entries.target("/last"));
            logged++;
            LockSupport.parkNanos(10_000_000L);
        }
        return logged;
    }

    private static void awaitLines(Path file, int lines) throws IOException {
        long endNs = System.nanoTime() + DEADLINE_NS;
        while (Files.readAllLines(file).size() < lines) {
            assertThat(System.nanoTime()).isLessThan(endNs);
            LockSupport.parkNanos(1_000_000L);
        }
    }

    private static AccessLog open(Path path, int entries) throws IOException {
        return FileAccessLog.open(new AccessLogConfig(Format.JSON, path.toString(), entries));
    }

    private Path pipe() throws Exception {
        Path pipe = directory.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        return pipe;
    }
}

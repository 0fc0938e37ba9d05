package io.remora.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LogQueueTest {
    private static final String LINE = "x".repeat(1_023) + '\n';
    private static final int MOST_LINES = LogQueue.MAX_BYTES / LINE.length();

    private final CountDownLatch open = new CountDownLatch(1);
    private final ByteArrayOutputStream taken = new ByteArrayOutputStream();

    /** Takes nothing before the latch is open. */
    private final LogQueue blocked = new LogQueue(new OutputStream() {
        @Override
        public void write(int octet) {
            throw new AssertionError("a line is one write");
        }

        @Override
        public void write(byte[] octets, int offset, int length) {
            Await.open(open);
            taken.write(octets, offset, length);
        }
    });

    @AfterEach
    void unblock() {
        open.countDown();
    }

    private static byte[] bytes(String line) {
        return line.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void whatDoesNotFitIsCountedAndTheNextLineSaysSo() {
        for (int i = 0; i < MOST_LINES + 3; i++) {
            blocked.offer(bytes(LINE));
        }
        assertThat(blocked.dropped()).isEqualTo(3);
        assertThat(blocked.drain(1)).isFalse();
        open.countDown();
        assertThat(blocked.drain(Await.TIMEOUT_MS)).isTrue();
        blocked.offer(bytes("next\n"));
        blocked.offer(bytes("last\n"));
        assertThat(blocked.drain(Await.TIMEOUT_MS)).isTrue();
        assertThat(taken).hasToString(LINE.repeat(MOST_LINES) + "next dropped=3\nlast\n");
        assertThat(blocked.dropped()).isEqualTo(3);
    }

    @Test
    void whatTheOutputRefusesIsCountedToo() {
        LogQueue full = new LogQueue(new OutputStream() {
            private int writes;

            @Override
            public void write(int octet) {}

            @Override
            public void write(byte[] octets, int offset, int length) throws IOException {
                switch (++writes) {
                    case 1 -> throw new IOException("no space left on device");
                    case 2 -> throw new IllegalStateException("a bug");
                    case 3 -> throw new OutOfMemoryError("of this line alone");
                    default -> taken.write(octets, offset, length);
                }
            }
        });
        for (int i = 0; i < 4; i++) {
            full.offer(bytes("a\n"));
            assertThat(full.drain(Await.TIMEOUT_MS)).isTrue();
        }
        assertThat(taken).hasToString("a dropped=3\n");
    }

    @Test
    void aLineThatIsCutIsNotGluedToTheNext(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("log"), "before\n");
        OutputStream fullOnce = new OutputStream() {
            private boolean full = true;

            @Override
            public void write(int octet) throws IOException {
                write(new byte[] {(byte) octet}, 0, 1);
            }

            @Override
            public void write(byte[] octets, int offset, int length) throws IOException {
                if (full) {
                    // the second line is not to tell that the first one was dropped
                    Await.open(open);
                }
                int room = full ? length / 2 : length;
                Files.write(file, Arrays.copyOfRange(octets, offset, offset + room), StandardOpenOption.APPEND);
                if (full) {
                    full = false;
                    throw new IOException("no space left on device");
                }
            }
        };
        LogQueue queue = new LogQueue(new LineOutput(fullOnce, file.toFile()));
        queue.offer(bytes("first\n"));
        queue.offer(bytes("second\n"));
        open.countDown();
        assertThat(queue.drain(Await.TIMEOUT_MS)).isTrue();
        assertThat(file).hasContent("before\nfir\nsecond\n");
    }

    @Test
    void whatOthersPrintWaitsForNobodyEither() {
        LogStream stream = new LogStream(blocked);
        PrintStream error = new PrintStream(stream, true, StandardCharsets.UTF_8);
        new IllegalStateException("of a library").printStackTrace(error);
        error.print("without an end");
        assertThat(blocked.drain(1)).isFalse();
        stream.endLine();
        stream.endLine();
        open.countDown();
        assertThat(blocked.drain(Await.TIMEOUT_MS)).isTrue();
        assertThat(taken.toString(StandardCharsets.UTF_8))
                .startsWith("java.lang.IllegalStateException: of a library\n\tat ")
                .endsWith(")\nwithout an end\n");
    }
}

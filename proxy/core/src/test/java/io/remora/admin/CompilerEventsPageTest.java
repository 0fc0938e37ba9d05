package io.remora.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Bounds of what one client of the compilers' log may hold. */
final class CompilerEventsPageTest {
    private final byte[] buffer = new byte[4_096];

    @TempDir
    Path directory;

    /** The device has always more to read, as the log of a storm. */
    @Test
    @Timeout(value = 30, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aLogWithoutAnEndIsSentForTheGivenTimeAlone() throws IOException {
        try (InputStream endless = new FileInputStream("/dev/zero")) {
            long endNs = System.nanoTime() + 50_000_000;
            assertThat(CompilerEventsPage.send(endless, buffer, OutputStream.nullOutputStream(), endNs))
                    .isTrue();
            assertThat(System.nanoTime()).isGreaterThanOrEqualTo(endNs);
            assertThat(CompilerEventsPage.send(endless, buffer, OutputStream.nullOutputStream(), endNs))
                    .isFalse();
        }
    }

    @Test
    void aClientThatIsTooLateGetsNoMore() throws IOException {
        Path file = directory.resolve("log");
        try (RandomAccessFile log = new RandomAccessFile(file.toFile(), "rw");
                InputStream in = new FileInputStream(file.toFile())) {
            log.setLength(CompilerEventsPage.MAX_UNREAD_BYTES);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            // while the client reads, the log grows beyond the bound
            OutputStream slow = new OutputStream() {
                @Override
                public void write(int octet) throws IOException {
                    out.write(octet);
                }

                @Override
                public void write(byte[] octets, int from, int length) throws IOException {
                    out.write(octets, from, length);
                    log.setLength(log.length() + 2L * length);
                }
            };
            long endNs = System.nanoTime() + 30_000_000_000L;
            assertThat(CompilerEventsPage.send(in, buffer, slow, endNs)).isTrue();
            assertThat(out.size()).isEqualTo(buffer.length);
            assertThat(in.available()).isEqualTo(CompilerEventsPage.MAX_UNREAD_BYTES + buffer.length);
            assertThat(CompilerEventsPage.send(in, buffer, slow, endNs)).isFalse();
        }
    }
}

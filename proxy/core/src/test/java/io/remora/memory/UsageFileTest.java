package io.remora.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is charged, as each version of cgroups tells it, and without one. */
final class UsageFileTest {
    @TempDir
    private Path directory;

    private String write(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text).toString();
    }

    @Test
    void readsVersion2AndReadsAnew() throws IOException {
        write("memory.current", "50000000\n");
        write(
                "memory.stat",
                "anon 30000000\nsock 4096\nactive_inactive_file 1\ninactive_file 7000000\nactive_file 2000000\n");
        try (UsageFile file = new UsageFile(directory + "/memory.max", "")) {
            assertThat(file.bytes()).isEqualTo(43_000_000);
            assertThat(file.activeFileBytes()).isEqualTo(2_000_000);
            write("memory.current", "9000000\n");
            assertThat(file.bytes()).isEqualTo(2_000_000);
        }
    }

    @Test
    void readsVersion1() throws IOException {
        write("memory.usage_in_bytes", "50000000\n");
        write(
                "memory.stat",
                "inactive_file 1\nactive_file 2\ntotal_inactive_file 6000000\ntotal_active_file 3000000\n");
        try (UsageFile file = new UsageFile(directory + "/memory.limit_in_bytes", "")) {
            assertThat(file.bytes()).isEqualTo(44_000_000);
            assertThat(file.activeFileBytes()).isEqualTo(3_000_000);
        }
    }

    @Test
    void countsAllWhereNothingSaysWhatIsInactive() throws IOException {
        write("memory.current", "50000000");
        try (UsageFile file = new UsageFile(directory + "/memory.max", "")) {
            assertThat(file.bytes()).isEqualTo(50_000_000);
            assertThat(file.activeFileBytes()).isZero();
        }
    }

    @Test
    void readsTheProcessWithoutACgroup() throws IOException {
        String status = write("status", "Name:\tx\nVmRSS:\t 9000 kB\nRssAnon:\t    2000 kB\n");
        try (UsageFile file = new UsageFile("", status)) {
            assertThat(file.bytes()).isEqualTo(2_000 * 1_024);
            assertThat(file.activeFileBytes()).isZero();
        }
    }

    @Test
    void knowsThatItDoesNotKnow() throws IOException {
        try (UsageFile file = new UsageFile("", directory + "/none")) {
            assertThat(file.bytes()).isEqualTo(UsageFile.UNKNOWN);
        }
        write("memory.current", "max\n");
        try (UsageFile file = new UsageFile(directory + "/memory.max", "")) {
            assertThat(file.bytes()).isEqualTo(UsageFile.UNKNOWN);
        }
    }
}

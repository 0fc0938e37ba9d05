package io.remora.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.files.FileWatch;
import io.remora.testkit.Await;
import io.remora.testkit.MountedSecret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A list of endpoints in a file, and what is made of its changes. */
final class FileResolverIT {
    @TempDir
    Path directory;

    private final Heard heard = new Heard();
    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    private Path list(String text) throws IOException {
        Path list = Files.writeString(directory.resolve("endpoints.yaml"), text);
        return written(list, 60);
    }

    private static Path written(Path file, int secondsAgo) throws IOException {
        return Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(secondsAgo)));
    }

    private void watch(Path path) {
        open.add(new HurriedFiles(path).watch(heard));
    }

    private static void replace(Path path, String text) throws IOException {
        Path next = Files.writeString(path.resolveSibling("next"), text);
        Files.move(next, path, StandardCopyOption.ATOMIC_MOVE);
    }

    @Test
    void tellsWhatTheFileListsAtOnceAndWhenItIsReplaced() throws IOException {
        Path list = list("""
            - 10.0.0.2:80
            - address: "[fd00::1]:81"
              weight: 3
              zone: a
              priority: 2
            - {address: 10.0.0.9:80, weight: 0}
            """);
        watch(list);
        assertThat(heard.names()).containsExactly("10.0.0.2:80", "[fd00:0:0:0:0:0:0:1]:81");
        Endpoint second = ((Addr.Bound) heard.last()).endpoints().get(1);
        assertThat(second.weight()).isEqualTo(3);
        assertThat(second.metadata()).containsEntry(Endpoint.ZONE, "a").containsEntry(Endpoint.PRIORITY, "2");
        replace(list, "[{\"address\": \"10.0.0.3:80\"}]");
        heard.awaitNames("10.0.0.3:80");
        replace(list, "[]");
        heard.await("empty", addr -> addr instanceof Addr.Empty);
    }

    @Test
    void aBadEditLeavesTheListBeforeInPlace() throws IOException {
        Path list = list("- 10.0.0.1:80\n");
        watch(list);
        Addr before = heard.last();
        replace(list, "- 10.0.0.1:80\n- host:80\n- 10.0.0.1:0\n");
        Await.until("refused", () -> !heard.refusals().isEmpty());
        assertThat(heard.refusals())
                .containsExactly(list + ":2:3: address 'host:80' has the host 'host',"
                        + " expected an IPv4 address, or an IPv6 address in brackets (and 1 more)");
        assertThat(heard.last()).isSameAs(before);
        replace(list, "- 10.0.0.2:80\n");
        heard.awaitNames("10.0.0.2:80");
        assertThat(heard.refusals()).hasSize(1);
    }

    /** Two spellings of one address would be one endpoint twice. */
    @Test
    void anAddressInAnotherSpellingIsTheSame() throws IOException {
        Path list = list("- 10.0.0.1:80\n");
        watch(list);
        Addr before = heard.last();
        replace(list, "- '[::1]:80'\n- '[0:0:0:0:0:0:0:1]:80'\n");
        Await.until("refused", () -> !heard.refusals().isEmpty());
        assertThat(heard.refusals().get(0)).contains(":2:3: address '[0:0:0:0:0:0:0:1]:80' is listed twice");
        assertThat(heard.last()).isSameAs(before);
    }

    /** On the clock of FileWatch itself, so that half a second of rest counts. */
    @Test
    void aWriterThatTakesItsTimeIsNotReadHalfway() throws IOException {
        Path list = list("- 10.0.0.1:80\n");
        try (FileWatch files = new FileWatch()) {
            open.add(new FileResolver("app", list.toString(), files).watch(heard));
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < 20; i++) {
                text.append("- address: 10.0.1.").append(i).append(":80\n  wei");
                Files.writeString(list, text);
                Await.within(60, () -> false);
                text.append("ght: 2\n");
                Files.writeString(list, text);
            }
            Await.until("read", () -> heard.names().size() == 20);
            assertThat(heard.count()).isEqualTo(2);
            assertThat(heard.refusals()).isEmpty();
        }
    }

    /** Half a list is a list, and half a port a port. */
    @Test
    void aFileThatMayBeHalfWrittenAtTheStartIsWaitedFor() throws IOException {
        Path list = written(list("- 10.0.0.1:80\n- 10.0.0.2:8"), 0);
        try (FileWatch files = new FileWatch()) {
            open.add(new FileResolver("app", list.toString(), files).watch(heard));
            assertThat(heard.last()).isInstanceOf(Addr.Pending.class);
            Files.writeString(list, "0\n", StandardOpenOption.APPEND);
            heard.awaitNames("10.0.0.1:80", "10.0.0.2:80");
            assertThat(heard.count()).isEqualTo(2);
        }
    }

    @Test
    void aNewFileThatIsBadHasFailed() throws IOException {
        Path list = written(list("- 10.0.0.1\n"), 0);
        watch(list);
        heard.await("failed", addr -> addr instanceof Addr.Failed);
        assertThat(((Addr.Failed) heard.last()).reason()).startsWith(list + ":1:3: address is '10.0.0.1', expected");
        assertThat(heard.refusals()).isEmpty();
        replace(list, "- 10.0.0.1:80\n");
        heard.awaitNames("10.0.0.1:80");
    }

    @Test
    void aFileThatIsGoneIsALostSource() throws IOException {
        Path list = list("- 10.0.0.1:80\n");
        watch(list);
        Files.move(list, directory.resolve("aside"));
        heard.await("failed", addr -> addr instanceof Addr.Failed);
        assertThat(((Addr.Failed) heard.last()).reason()).contains(list.toString());
        Files.move(directory.resolve("aside"), list);
        heard.awaitNames("10.0.0.1:80");
        assertThat(heard.refusals()).isEmpty();
    }

    @Test
    void aFileThatComesLaterIsTaken() throws IOException {
        watch(directory.resolve("endpoints.yaml"));
        assertThat(heard.last()).isInstanceOf(Addr.Failed.class);
        list("- 10.0.0.1:80\n");
        heard.awaitNames("10.0.0.1:80");
    }

    @Test
    void aFileThatIsBadFromTheStartIsTakenOnceItIsGood() throws IOException {
        Path list = list("- 10.0.0.1\n");
        watch(list);
        assertThat(((Addr.Failed) heard.last()).reason()).startsWith(list + ":1:3: address is '10.0.0.1', expected");
        replace(list, "- 10.0.0.1:80\n");
        heard.awaitNames("10.0.0.1:80");
    }

    @Test
    void aMountedConfigMapIsFollowed() throws IOException {
        Path one = list("- 10.0.0.1:80\n");
        Path two = Files.writeString(directory.resolve("two.yaml"), "- 10.0.0.2:80\n");
        MountedSecret mount =
                new MountedSecret(Files.createDirectory(directory.resolve("mount")), "list.yaml").put(one);
        watch(mount.path("list.yaml"));
        heard.awaitNames("10.0.0.1:80");
        mount.put(two);
        heard.awaitNames("10.0.0.2:80");
        mount.put(one);
        heard.awaitNames("10.0.0.1:80");
    }
}

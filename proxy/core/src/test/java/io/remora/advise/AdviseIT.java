package io.remora.advise;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Command;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.SidecarProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The advice on a sidecar in a process of its own, after load. */
final class AdviseIT {
    private static final int REQUESTS = 300;

    @TempDir
    private Path directory;

    private SidecarProcess start(RecordingBackend backend) throws IOException {
        return SidecarProcess.start(
                Files.createDirectories(directory.resolve("sidecar")),
                List.of(),
                List.of("-Dremora.image=host", "-Dremora.profile=rps-1000"),
                """
                admin: { address: "127.0.0.1:0" }
                listeners:
                  - { name: test, address: "127.0.0.1:0", cluster: app }
                  - { name: idle, address: "127.0.0.1:0", cluster: spare }
                clusters:
                  app: { endpoints: ["127.0.0.1:%d"] }
                  spare: { endpoints: ["127.0.0.1:1"] }
                """.formatted(backend.port()));
    }

    private static String page(SidecarProcess sidecar) {
        try (RawClient client = sidecar.adminClient()) {
            client.send("GET /peaks HTTP/1.1\r\nHost: localhost\r\n\r\n");
            return client.response().bodyText();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Command advise(SidecarProcess sidecar, String... words) {
        String log = sidecar.log();
        int at = log.indexOf("admin on ") + "admin on ".length();
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-jar",
                Path.of("target", "remora.jar").toAbsolutePath().toString(),
                "advise",
                log.substring(at, log.indexOf('\n', at))));
        command.addAll(List.of(words));
        return Command.run(directory, command.toArray(String[]::new));
    }

    @Test
    void followsFromTheLoad() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                SidecarProcess sidecar = start(backend)) {
            assertThat(page(sidecar)).contains("image host\nprofile rps-1000\n").endsWith(" limit_bytes\n");
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 7; i++) {
                clients.add(sidecar.client());
            }
            for (int i = 0; i < REQUESTS; i++) {
                RawClient client = clients.get(i % clients.size());
                client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
                assertThat(client.response().status()).isEqualTo(200);
            }
            // the watch looks within a second, and need not see the rest as well
            assertThat(Await.within(Await.TIMEOUT_MS, () -> most(sidecar, "rate") > 0))
                    .as(page(sidecar))
                    .isTrue();
            assertThat(most(sidecar, "connections")).isEqualTo(7);
            assertThat(most(sidecar, "rate")).isLessThanOrEqualTo(REQUESTS);
            assertThat(most(sidecar, "usage_bytes")).isGreaterThan(8 << 20);
            clients.forEach(RawClient::close);

            Command text = advise(sidecar);
            assertThat(text.status()).as(text.output()).isZero();
            assertThat(text.output())
                    .contains("image           host\n", "hours seen      1 with traffic", "connections     7\n")
                    .contains("listener idle received no request", "cluster spare made no connection")
                    .doesNotContain("listener test", "cluster app")
                    .containsPattern("profile         rps-10{2,3}, ")
                    .containsPattern("code cache      that of the profile; [1-7] MiB would have held")
                    .containsPattern("memory limit    [0-9]{2,3} MiB, ");
            Command patch = advise(sidecar, "--patch");
            assertThat(patch.status()).isZero();
            assertThat(patch.output()).startsWith("spec:\n  template:\n").contains("remora.io/rps: \"");
            assertThat(text.output()).endsWith(patch.output());
            assertThat(advise(sidecar, "--what").status()).isEqualTo(64);
        }
    }

    private static long most(SidecarProcess sidecar, String column) {
        try {
            return PeaksPage.of(page(sidecar)).most(column);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

package io.remora.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.LaunchedProcess;
import io.remora.testkit.Pki;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A process under a limit: what it says that the limit holds, and what it refuses. */
final class MemoryLimitIT {
    private static final String LIMIT = "80000000";

    @TempDir
    private Path directory;

    private Map<String, String> limited;

    @BeforeEach
    void makeASystemWithALimit() throws IOException {
        Files.createDirectories(directory.resolve("a root/proc/self"));
        Files.createDirectories(directory.resolve("a root/sys/fs/cgroup"));
        Files.writeString(directory.resolve("a root/proc/self/cgroup"), "0::/\n");
        Files.writeString(directory.resolve("a root/sys/fs/cgroup/memory.max"), LIMIT + "\n");
        limited = new HashMap<>(Map.of("JAVA_HOME", System.getProperty("java.home")));
        limited.put("REMORA_SYSTEM_ROOT", directory.resolve("a root").toString());
    }

    private LaunchedProcess launch(Map<String, String> variables, String process, String limits, String... command)
            throws IOException {
        return launchWith("", variables, process, limits, command);
    }

    private LaunchedProcess launchWith(
            String tls, Map<String, String> variables, String process, String limits, String... command)
            throws IOException {
        Files.writeString(
                directory.resolve("sidecar.yaml"),
                process + """
                admin: { address: "127.0.0.1:0" }
                listeners:
                  - { address: "127.0.0.1:0", cluster: app, limits: LIMITSTLS }
                clusters:
                  app: { endpoints: [ "127.0.0.1:1" ] }
                """.replace("TLS", tls).replace("LIMITS", limits));
        return LaunchedProcess.start(directory, variables, LaunchedProcess.LAUNCHER.toString(), command);
    }

    @Test
    void theDefaultsFollowTheLimit() throws Exception {
        try (LaunchedProcess run = launch(limited, "", "{}", "run", "--config", "sidecar.yaml")) {
            Await.until("ready", () -> told(run).contains("ready; admin on"));
            run.signal("TERM");
            assertThat(run.status()).isZero();
            assertThat(run.err())
                    .containsPattern("INFO memory: limit 80000000 bytes from .*/a root/sys/fs/cgroup/memory\\.max; "
                            + "at most \\d{3,4} connections and \\d{2,3} exchanges at once, heap ");
        }
        try (LaunchedProcess check = launch(limited, "", "{}", "check", "sidecar.yaml")) {
            assertThat(check.status()).isZero();
            assertThat(check.out()).contains("sidecar.yaml: ok");
        }
    }

    private static String told(LaunchedProcess process) {
        try {
            return process.err();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'', '{ connections: 9999 }', connections: ",
        "'', '{ in-flight: 999 }', in-flight: ",
        "'workers: 64\n', '{}', which is too little",
    })
    void refusesWhatTheLimitDoesNotHold(String process, String limits, String why) throws IOException {
        String[][] commands = {{"check", "sidecar.yaml"}, {"run", "--config", "sidecar.yaml"}};
        for (String[] command : commands) {
            try (LaunchedProcess refused = launch(limited, process, limits, command)) {
                assertThat(refused.status()).isEqualTo(78);
                assertThat(refused.err().lines())
                        .singleElement()
                        .asString()
                        .startsWith("remora: memory: ")
                        .contains("allows 80000000 bytes", why);
                assertThat(refused.out()).isEmpty();
            }
        }
        Map<String, String> unlimited = Map.of("JAVA_HOME", System.getProperty("java.home"));
        try (LaunchedProcess check = launch(unlimited, process, limits, "check", "sidecar.yaml")) {
            assertThat(check.status()).as("without a limit").isZero();
        }
    }

    /** What plain connections may be asked for under a limit is too much where they are protected. */
    @Test
    void protectedConnectionsAreFewer() throws IOException {
        String tls = ", "
                + new Pki(directory)
                        .authority("ca")
                        .issue("ca", "server", "DNS:app")
                        .listener("", "server");
        int plain = most("");
        assertThat(most(tls)).isBetween(32, plain - 1);
        String limits = "{ connections: " + plain + " }";
        try (LaunchedProcess check = launch(limited, "", limits, "check", "sidecar.yaml")) {
            assertThat(check.status()).isZero();
        }
        try (LaunchedProcess check = launchWith(tls, limited, "", limits, "check", "sidecar.yaml")) {
            assertThat(check.status()).isEqualTo(78);
            assertThat(check.err()).contains("remora: memory: ", "connections: ", "asks for " + plain);
        }
    }

    /** The same where a listener speaks HTTP/2, whose connections hold more. */
    @Test
    void connectionsOfHttp2AreFewer() throws IOException {
        String http2 = ", protocol: auto";
        int plain = most("");
        int fewer = most(http2);
        assertThat(fewer).isBetween(32, plain - 1);
        try (LaunchedProcess check =
                launchWith(http2, limited, "", "{ connections: " + fewer + " }", "check", "sidecar.yaml")) {
            assertThat(check.status()).isZero();
        }
        String[][] commands = {{"check", "sidecar.yaml"}, {"run", "--config", "sidecar.yaml"}};
        for (String[] command : commands) {
            try (LaunchedProcess refused = launchWith(http2, limited, "", "{ connections: " + plain + " }", command)) {
                assertThat(refused.status()).isEqualTo(78);
                assertThat(refused.err()).contains("remora: memory: ", "connections: ", "asks for " + plain);
            }
        }
    }

    /** How many connections a run says that there may be. */
    private int most(String tls) throws IOException {
        try (LaunchedProcess run = launchWith(tls, limited, "", "{}", "run", "--config", "sidecar.yaml")) {
            Await.until("ready", () -> told(run).contains("ready; admin on"));
            Matcher most = Pattern.compile("at most (\\d+) connections").matcher(run.err());
            assertThat(most.find()).isTrue();
            return Integer.parseInt(most.group(1));
        }
    }

    /** What the launcher accepts must not be refused by the process that it starts. */
    @ParameterizedTest
    @CsvSource({"100", "1000", "10000"})
    void startsByItsDefaultsUnderTheSmallestLimitThatIsAccepted(String rps) throws Exception {
        long needed = needed(rps);
        limit(needed - 1);
        try (LaunchedProcess refused = launch(limited, "", "{}", "run", "--rps", rps, "--config", "sidecar.yaml")) {
            assertThat(refused.status()).isEqualTo(78);
            assertThat(refused.err()).contains("needs " + needed + " bytes");
        }
        limit(needed);
        try (LaunchedProcess run = launch(limited, "", "{}", "run", "--rps", rps, "--config", "sidecar.yaml")) {
            Await.until("ready, or refused", () -> told(run).contains("ready; admin on") || !run.isAlive());
            run.signal("TERM");
            assertThat(run.err()).contains("INFO memory: limit " + needed + " bytes from ", "ready; admin on");
            assertThat(run.status()).isZero();
        }
    }

    private void limit(long bytes) throws IOException {
        Files.writeString(directory.resolve("a root/sys/fs/cgroup/memory.max"), bytes + "\n");
    }

    /** By the table of profiles, on a JDK of the host. */
    private static long needed(String rps) throws IOException {
        return Files.readAllLines(LaunchedProcess.LAUNCHER.resolveSibling("../../jvm-profiles/table")).stream()
                .filter(row -> row.startsWith("host rps-" + rps + " "))
                .mapToLong(row -> Long.parseLong(row.split(" ", 6)[4]))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void refusesAHeapThatTheLimitDoesNotHold() throws IOException {
        limited.put("JVM_HEAP_MAX", "64m");
        try (LaunchedProcess refused = launch(limited, "", "{}", "check", "sidecar.yaml")) {
            assertThat(refused.status()).isEqualTo(78);
            assertThat(refused.err()).contains("and a heap of up to 67", "too little");
        }
    }
}

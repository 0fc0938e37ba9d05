package io.remora;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.dataplane.SidecarProcess;
import io.remora.testkit.Await;
import io.remora.testkit.FreePort;
import io.remora.testkit.NativeLibrary;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Sidecars that follow one another on the same ports, each a process of its own with the native library. */
final class Sidecars implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 60;

    final Path directory;
    final int port = FreePort.next();
    final int adminPort = FreePort.next();
    final int healthPort = FreePort.next();
    private final List<One> all = new ArrayList<>();

    Sidecars(Path directory) throws IOException {
        this.directory = directory;
        NativeLibrary.into(directory);
    }

    Path socket() {
        return directory.resolve("takeover.sock");
    }

    Path unix() {
        return directory.resolve("in.sock");
    }

    /** @param more lines at the top of the file */
    String yaml(int backendPort, String more) {
        return more + "admin: { address: \"127.0.0.1:" + adminPort + "\" }\n" + "health: { address: \"127.0.0.1:"
                + healthPort + "\" }\n"
                + "takeover: { socket: " + socket() + ", idle: 2s }\n"
                + "listeners:\n  - { name: test, address: \"127.0.0.1:" + port + "\", cluster: app }\n"
                + "  - { name: file, address: \"unix:" + unix() + "\", cluster: app }\n"
                + "clusters:\n  app: { endpoints: [\"127.0.0.1:" + backendPort + "\"] }\n";
    }

    List<String> command(String yaml, List<String> jvm, String... arguments) throws IOException {
        Path config = Files.createTempFile(directory, "sidecar", ".yaml");
        Files.writeString(config, yaml);
        List<String> command = new ArrayList<>(SidecarProcess.java());
        command.add("-Xmx64m");
        command.add("-Djava.library.path=" + directory);
        command.addAll(jvm);
        command.addAll(
                List.of("-jar", Path.of("target", "remora.jar").toAbsolutePath().toString(), "run"));
        command.addAll(List.of(arguments));
        command.addAll(List.of("--config", config.toString()));
        return command;
    }

    One start(Map<String, String> environment, List<String> command) throws IOException {
        Path log = Files.createTempFile(directory, "log", ".txt");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        One one = new One(builder.start(), log);
        all.add(one);
        return one;
    }

    One start(String yaml, String... arguments) throws IOException {
        return start(Map.of(), command(yaml, List.of(), arguments));
    }

    InetSocketAddress address() {
        return new InetSocketAddress("127.0.0.1", port);
    }

    RawResponse ask(int at, String target) throws IOException {
        try (RawClient client = RawClient.connect(new InetSocketAddress("127.0.0.1", at))) {
            return client.send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    .response();
        }
    }

    @Override
    public void close() {
        for (One one : all) {
            one.process.destroyForcibly();
        }
    }

    /** One of them. */
    static final class One {
        final Process process;
        private final Path log;

        One(Process process, Path log) {
            this.process = process;
            this.log = log;
        }

        String log() {
            try {
                return Files.readString(log);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        One awaitReady() {
            return awaitLog("can take over by");
        }

        One awaitLog(String what) {
            Await.until(what, () -> {
                boolean said = log().contains(what);
                assertThat(said || process.isAlive()).as(log()).isTrue();
                return said;
            });
            return this;
        }

        int status() {
            try {
                assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                        .as(log())
                        .isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return process.exitValue();
        }
    }
}

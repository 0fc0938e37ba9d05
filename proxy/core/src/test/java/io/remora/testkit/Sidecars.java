package io.remora.testkit;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Sidecars that follow one another on the same ports before a backend that answers, each a process of its own with the native library. */
public final class Sidecars implements AutoCloseable {
    final Path directory;
    public final RecordingBackend backend = RecordingBackend.start().replyOk();
    public final int port = FreePort.next();
    public final int adminPort = FreePort.next();
    public final int healthPort = FreePort.next();
    private final List<SidecarProcess> all = new ArrayList<>();

    public Sidecars(Path directory) throws IOException {
        this.directory = directory;
        NativeLibrary.into(directory);
    }

    public Path socket() {
        return directory.resolve("takeover.sock");
    }

    public Path unix() {
        return directory.resolve("in.sock");
    }

    /** @param more lines at the top of the file */
    public String yaml(String more) {
        return more + "admin: { address: \"127.0.0.1:" + adminPort + "\" }\n" + "health: { address: \"127.0.0.1:"
                + healthPort + "\" }\n"
                + "takeover: { socket: " + socket() + ", idle: 2s }\n"
                + "listeners:\n  - { name: test, address: \"127.0.0.1:" + port + "\", cluster: app }\n"
                + "  - { name: file, address: \"unix:" + unix() + "\", cluster: app }\n"
                + "clusters:\n  app: { endpoints: [\"127.0.0.1:" + backend.port() + "\"] }\n";
    }

    public List<String> command(String yaml, List<String> jvm, String... arguments) throws IOException {
        Path config = Files.createTempFile(directory, "sidecar", ".yaml");
        return command(Files.writeString(config, yaml), jvm, arguments);
    }

    private List<String> command(Path config, List<String> jvm, String... arguments) {
        List<String> options = new ArrayList<>();
        if (!TestEngine.isFinagle()) {
            options.add("-Xmx64m");
        }
        options.add("-Djava.library.path=" + directory);
        options.addAll(jvm);
        List<String> command = new ArrayList<>(SidecarProcess.command(options));
        command.addAll(List.of(arguments));
        command.addAll(List.of("--config", config.toString()));
        return command;
    }

    public SidecarProcess start(Map<String, String> environment, List<String> command) throws IOException {
        SidecarProcess one =
                SidecarProcess.launch(Files.createTempFile(directory, "log", ".txt"), environment, command);
        all.add(one);
        return one;
    }

    public SidecarProcess start(String yaml, String... arguments) throws IOException {
        return start(Map.of(), command(yaml, List.of(), arguments));
    }

    /** One whose file the test may change. */
    public SidecarProcess start(Path config) throws IOException {
        return start(Map.of(), command(config, List.of()));
    }

    public InetSocketAddress address() {
        return new InetSocketAddress("127.0.0.1", port);
    }

    public RawResponse ask(int at, String target) throws IOException {
        try (RawClient client = RawClient.connect(new InetSocketAddress("127.0.0.1", at))) {
            return client.send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    .response();
        }
    }

    /** Returns the answer of a Unix socket. */
    public String curl(Path socket, String target) {
        return Command.run(directory, "curl", "-s", "--unix-socket", socket.toString(), "http://localhost" + target)
                .good();
    }

    @Override
    public void close() {
        all.forEach(SidecarProcess::close);
        backend.close();
    }
}

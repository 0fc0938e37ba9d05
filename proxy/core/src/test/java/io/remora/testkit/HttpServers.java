package io.remora.testkit;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Servers of HTTP/2 that somebody else has written, on ports of this machine. */
public final class HttpServers implements AutoCloseable {
    /** The first time it compiles Go's own library. */
    private static final int BUILD_SECONDS = 300;

    private static final String GO = "go";
    private static final String NGHTTPD = "nghttpd";

    private final Path directory;
    private final List<ServerProcess> processes = new CopyOnWriteArrayList<>();

    /**
     * @param directory with certificates and files to serve
     */
    public HttpServers(Path directory) {
        this.directory = directory;
    }

    /** Go's {@code net/http} with TLS: counts what it is sent, and sends what it is asked for. */
    public int go(String certificate) {
        Path program = directory.resolve("go-http2");
        if (!Files.exists(program)) {
            try (InputStream source = HttpServers.class.getResourceAsStream("http2.go")) {
                Files.write(directory.resolve("http2.go"), source.readAllBytes());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            String build =
                    "GOTOOLCHAIN=local GOPROXY=off CGO_ENABLED=0 exec " + program(GO) + " build -o go-http2 http2.go";
            Command.run(directory, BUILD_SECONDS, "sh", "-c", build).good();
        }
        int port = ServerProcess.freePort();
        start(port, program.toString(), Integer.toString(port), certificate + ".crt", certificate + ".key");
        return port;
    }

    /** By prior knowledge: the files of the directory. */
    public int nghttpd() {
        int port = ServerProcess.freePort();
        start(
                port,
                program(NGHTTPD),
                "--no-tls",
                "--address=127.0.0.1",
                "--htdocs=" + directory,
                Integer.toString(port));
        return port;
    }

    /** Where it is; without it the test is skipped. */
    private static String program(String name) {
        String found = PeerProgram.find(name);
        assumeFalse(found.isEmpty(), name + " is not installed");
        return found;
    }

    private void start(int port, String... command) {
        ServerProcess process = new ServerProcess(directory, "server-" + port + ".txt", List.of(command));
        processes.add(process);
        process.awaitOpen(port);
    }

    @Override
    public void close() {
        processes.forEach(ServerProcess::close);
    }
}

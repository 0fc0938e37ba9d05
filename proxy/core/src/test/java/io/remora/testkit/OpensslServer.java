package io.remora.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code openssl s_server} that serves the files of a directory, each response ended by the end of the connection. */
public final class OpensslServer implements AutoCloseable {
    private final int port = Nginx.freePort();
    private final Process process;

    public OpensslServer(Path directory, String certificate, String... options) {
        List<String> command = new ArrayList<>(List.of("openssl", "s_server", "-WWW", "-quiet", "-accept"));
        command.add("127.0.0.1:" + port);
        command.addAll(List.of("-cert", certificate + ".crt", "-key", certificate + ".key"));
        command.addAll(List.of(options));
        try {
            process = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("s_server.txt").toFile())
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Await.until("s_server listens", () -> Nginx.isOpen(port));
    }

    public int port() {
        return port;
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(Await.TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}

package io.remora.testkit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** {@code openssl s_server} that serves the files of a directory, each response ended by the end of the connection. */
public final class OpensslServer implements AutoCloseable {
    private final int port = ServerProcess.freePort();
    private final ServerProcess process;

    public OpensslServer(Path directory, String certificate, String... options) {
        List<String> command = new ArrayList<>(List.of("openssl", "s_server", "-WWW", "-quiet", "-accept"));
        command.add("127.0.0.1:" + port);
        command.addAll(List.of("-cert", certificate + ".crt", "-key", certificate + ".key"));
        command.addAll(List.of(options));
        process = new ServerProcess(directory, "s_server.txt", command);
        process.awaitOpen(port);
    }

    public int port() {
        return port;
    }

    @Override
    public void close() {
        process.close();
    }
}

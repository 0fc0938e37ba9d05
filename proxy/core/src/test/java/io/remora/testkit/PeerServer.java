package io.remora.testkit;

import java.nio.file.Path;
import java.util.List;

/** A server of {@link PeerProgram}, which says of each request which version and which SNI it came by. */
public final class PeerServer implements AutoCloseable {
    private final int port;
    private final ServerProcess process;

    PeerServer(Path directory, int port, List<String> command) {
        this.port = port;
        process = new ServerProcess(directory, "peer-" + port + ".txt", command);
        try {
            process.awaitOpen(port);
        } catch (AssertionError e) {
            process.close();
            throw e;
        }
    }

    public int port() {
        return port;
    }

    @Override
    public void close() {
        process.close();
    }
}

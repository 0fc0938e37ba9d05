package io.remora.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Two backends, of which one answers, and what a sidecar before them writes to its access log. */
public final class LogStand implements AfterEachCallback {
    public final RecordingBackend backend = RecordingBackend.start().replyOk();
    public final RecordingBackend other = RecordingBackend.start();
    private final Path file;
    private final AccessLogFile log;

    public LogStand() {
        try {
            file = Files.createTempFile("remora-access", ".log");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        log = new AccessLogFile(file);
    }

    @Override
    public void afterEach(ExtensionContext context) throws IOException {
        backend.close();
        other.close();
        Files.delete(file);
    }

    /** The lines of so many requests one after another. */
    public List<String> lines(Setup setup, int requests, String request) throws IOException {
        try (Sidecar sidecar = Sidecar.start(setup.process(log.setting()));
                RawClient client = sidecar.client()) {
            for (int i = 0; i < requests; i++) {
                client.send(request).response();
            }
            return log.lines(requests);
        }
    }
}

package io.remora.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A file that a sidecar under test writes its access log to. */
public final class AccessLogFile {
    private final Path file;

    public AccessLogFile(Path file) {
        this.file = file;
    }

    /** What makes a sidecar write it, see {@link Setup#process}. */
    public String setting() {
        return "access-log: { output: \"" + file + "\" }";
    }

    /** The lines of so many requests one after another, through a sidecar with this setup. */
    public List<String> lines(Setup setup, int requests, String request) throws IOException {
        try (Sidecar sidecar = Sidecar.start(setup.process(setting()));
                RawClient client = sidecar.client()) {
            for (int i = 0; i < requests; i++) {
                client.send(request).response();
            }
            return lines(requests);
        }
    }

    /** The lines of the listener under test, once there are so many; no more have come by then. */
    public List<String> lines(int count) {
        awaitLines(count);
        assertThat(read()).hasSize(count);
        return read();
    }

    /** The line that came at this place, counted from 1, once it is there. */
    public String line(int number) {
        awaitLines(number);
        return read().get(number - 1);
    }

    private void awaitLines(int count) {
        Await.until("logged", () -> read().size() >= count);
    }

    private List<String> read() {
        try {
            return Files.readAllLines(file).stream()
                    .filter(line -> line.contains("\"listener\":\"" + Sidecar.LISTENER + "\""))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

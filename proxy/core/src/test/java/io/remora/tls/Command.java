package io.remora.tls;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program that ran to its end: its status, and what it wrote.
 *
 * @param output of both streams, in the order in which they were written, as ISO 8859-1
 */
record Command(int status, String output) {
    private static final int PATIENCE_SECONDS = 60;

    static Command run(Path directory, String... command) {
        return fed(directory, "", command);
    }

    /** With this standard input, and its end. */
    static Command fed(Path directory, String input, String... command) {
        try {
            Path output = Files.createTempFile(directory, "output", ".txt");
            Process process = new ProcessBuilder(List.of(command))
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            try (OutputStream in = process.getOutputStream()) {
                in.write(input.getBytes(StandardCharsets.ISO_8859_1));
            } catch (IOException ended) {
                // it needs no input
            }
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError("does not end: " + String.join(" ", command) + "\n" + read(output));
            }
            return new Command(process.exitValue(), read(output));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static String read(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.ISO_8859_1);
    }

    /** The output of one that must do well. */
    String good() {
        if (status != 0) {
            throw new AssertionError("status " + status + ": " + output);
        }
        return output;
    }
}

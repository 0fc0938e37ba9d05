package io.remora.testkit;

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
public record Command(int status, String output) {
    private static final int PATIENCE_SECONDS = 60;

    public static Command run(Path directory, String... command) {
        return fed(directory, "", command);
    }

    /** One that has more work to do than the others, such as a compiler. */
    static Command run(Path directory, int patienceSeconds, String... command) {
        return run(directory, "", true, patienceSeconds, command);
    }

    /** With this standard input, and its end. */
    public static Command fed(Path directory, String input, String... command) {
        return run(directory, input, true, PATIENCE_SECONDS, command);
    }

    /** With this standard input, which goes on for as long as the program does. */
    public static Command held(Path directory, String input, String... command) {
        return run(directory, input, false, PATIENCE_SECONDS, command);
    }

    private static Command run(Path directory, String input, boolean ends, int patienceSeconds, String... command) {
        try {
            Path output = Files.createTempFile(directory, "output", ".txt");
            Process process = new ProcessBuilder(List.of(command))
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            give(process.getOutputStream(), input, ends);
            if (!process.waitFor(patienceSeconds, TimeUnit.SECONDS)) {
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

    private static void give(OutputStream in, String input, boolean ends) {
        try {
            in.write(input.getBytes(StandardCharsets.ISO_8859_1));
            in.flush();
            if (ends) {
                in.close();
            }
        } catch (IOException ended) {
            // it needs no input
        }
    }

    private static String read(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.ISO_8859_1);
    }

    /** The output of one that must do well. */
    public String good() {
        if (status != 0) {
            throw new AssertionError("status " + status + ": " + output);
        }
        return output;
    }
}

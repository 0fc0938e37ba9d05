package io.remora.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Names of a process's threads, from {@code /proc/PID/task}. */
public final class ThreadNames {
    private ThreadNames() {}

    /**
     * Returns the first 15 bytes of each name, which is what the kernel keeps; no name of a thread that has ended. The kernel may end
     * its list at a thread that ends meanwhile, which hides younger threads.
     */
    public static List<String> of(long pid) {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path thread : threads) {
                addName(thread, names);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return names;
    }

    private static void addName(Path thread, List<String> names) {
        try {
            // the kernel cuts names, also within a character
            names.add(Files.readString(thread.resolve("comm"), StandardCharsets.ISO_8859_1)
                    .strip());
        } catch (IOException e) {
            // The file of a thread that has ended is missing (ENOENT), or fails while it is open (ESRCH).
            if (Files.exists(thread)) {
                throw new UncheckedIOException(e);
            }
        }
    }
}

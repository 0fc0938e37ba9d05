package io.remora.bundle;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

/** The place of a bundle: a directory, an archive, or standard output. Nothing that exists is replaced. Pure functions. */
final class BundleOutput {
    private static final String STDOUT = "-";
    private static final FileAttribute<?> OWN_FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final FileAttribute<?> OWN_DIRECTORY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private BundleOutput() {}

    /**
     * Fails where the place is taken, before anything is collected.
     *
     * @throws IOException naming the place
     */
    static void check(String place) throws IOException {
        if (!place.equals(STDOUT) && Files.exists(Path.of(place))) {
            throw new IOException(place + " exists, and is not replaced");
        }
        Path parent = Path.of(place).toAbsolutePath().getParent();
        if (!place.equals(STDOUT) && parent != null && !Files.isDirectory(parent)) {
            throw new IOException(parent + " is no directory");
        }
    }

    /** Writes the files, which only their owner may read. */
    static void write(String place, Map<String, String> files, OutputStream stdout, long epochMs) throws IOException {
        if (place.equals(STDOUT)) {
            writeArchive(stdout, files, epochMs);
            stdout.flush();
        } else if (place.endsWith(".tar.gz") || place.endsWith(".tgz")) {
            Path archive = Files.createFile(Path.of(place), OWN_FILE);
            try (OutputStream out = Files.newOutputStream(archive, StandardOpenOption.WRITE)) {
                writeArchive(out, files, epochMs);
            }
        } else {
            Path directory = Files.createDirectory(Path.of(place), OWN_DIRECTORY);
            for (Map.Entry<String, String> file : files.entrySet()) {
                Path path = directory.resolve(file.getKey());
                Path parent = path.getParent();
                if (parent != null && !Files.isDirectory(parent)) {
                    Files.createDirectory(parent, OWN_DIRECTORY);
                }
                Files.writeString(Files.createFile(path, OWN_FILE), file.getValue());
            }
        }
    }

    private static void writeArchive(OutputStream out, Map<String, String> files, long epochMs) throws IOException {
        try (TarFile tar = new TarFile(out, epochMs / 1_000)) {
            for (Map.Entry<String, String> file : files.entrySet()) {
                tar.add("remora-bundle/" + file.getKey(), file.getValue().getBytes(StandardCharsets.UTF_8));
            }
        }
    }
}

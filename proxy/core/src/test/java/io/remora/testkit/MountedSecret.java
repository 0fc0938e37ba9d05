package io.remora.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Files as a kubelet mounts a secret: each is a link to one of its name below {@code ..data}, which is a link to a
 * directory, and all change at once when that link is replaced.
 */
public final class MountedSecret {
    private final Path mount;
    private final String[] names;
    private int version;

    /**
     * @param names of the files that it has
     */
    public MountedSecret(Path mount, String... names) {
        this.mount = mount;
        this.names = names.clone();
    }

    public Path path(String name) {
        return mount.resolve(name);
    }

    /** From now on its files are copies of these, in the order of their names. */
    public MountedSecret put(Path... files) {
        try {
            Path old = mount.resolve(".." + version++);
            Path fresh = Files.createDirectories(mount.resolve(".." + version));
            for (int i = 0; i < names.length; i++) {
                Files.copy(files[i], fresh.resolve(names[i]));
            }
            Path link = mount.resolve("..data_tmp");
            Files.createSymbolicLink(link, fresh.getFileName());
            Files.move(link, mount.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
            for (String name : names) {
                if (Files.notExists(path(name))) {
                    Files.createSymbolicLink(path(name), Path.of("..data", name));
                }
            }
            remove(old);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void remove(Path directory) throws IOException {
        if (Files.exists(directory)) {
            for (String name : names) {
                Files.delete(directory.resolve(name));
            }
            Files.delete(directory);
        }
    }
}

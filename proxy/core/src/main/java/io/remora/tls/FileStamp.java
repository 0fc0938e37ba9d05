package io.remora.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What the file system says of a file, by which it is seen that another one stands there, or that it was written to. Links
 * are followed, so that it shows where one of them was turned elsewhere, as Kubernetes does. Immutable.
 *
 * <p>Cost: one system call.
 */
final class FileStamp {
    private static final FileStamp NONE = new FileStamp(-1, 0, null);

    private final long octets;
    private final long modifiedNs;
    /** Its device and inode. */
    private final @Nullable Object key;

    private FileStamp(long octets, long modifiedNs, @Nullable Object key) {
        this.octets = octets;
        this.modifiedNs = modifiedNs;
        this.key = key;
    }

    /** Of each of them, in order; may block. */
    static FileStamp[] of(Path[] files) {
        FileStamp[] stamps = new FileStamp[files.length];
        for (int i = 0; i < files.length; i++) {
            stamps[i] = of(files[i]);
        }
        return stamps;
    }

    private static FileStamp of(Path file) {
        try {
            BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
            return new FileStamp(now.size(), now.lastModifiedTime().to(TimeUnit.NANOSECONDS), now.fileKey());
        } catch (IOException e) {
            // a file that is not there, for a moment or for good
            return NONE;
        }
    }

    static boolean areSame(FileStamp[] some, FileStamp[] others) {
        for (int i = 0; i < some.length; i++) {
            if (!some[i].isSameAs(others[i])) {
                return false;
            }
        }
        return true;
    }

    private boolean isSameAs(FileStamp other) {
        return octets == other.octets && modifiedNs == other.modifiedNs && Objects.equals(key, other.key);
    }
}

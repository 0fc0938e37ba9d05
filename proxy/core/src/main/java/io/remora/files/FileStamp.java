package io.remora.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * State of a file in the file system, which shows that another file stands there, or that it was written to. Links are
 * followed, so that it shows where one of them was turned elsewhere, as Kubernetes does. Immutable.
 *
 * <p>Cost: one system call.
 */
public final class FileStamp {
    /** The time in which files must not change before they are read: what is half written is not for judging. */
    static final long QUIET_NS = 500_000_000L;

    private static final FileStamp NONE = new FileStamp(-1, 0, null);

    private final long octets;
    private final long modifiedNs;
    /** Device and inode of the file. */
    private final @Nullable Object key;

    private FileStamp(long octets, long modifiedNs, @Nullable Object key) {
        this.octets = octets;
        this.modifiedNs = modifiedNs;
        this.key = key;
    }

    /** Returns the stamps of the files, in order; may block. */
    public static FileStamp[] of(Path[] files) {
        FileStamp[] stamps = new FileStamp[files.length];
        for (int i = 0; i < files.length; i++) {
            stamps[i] = of(files[i]);
        }
        return stamps;
    }

    /** Returns stamps of files that have not been read: any file there is a change. */
    public static FileStamp[] unread(int count) {
        FileStamp[] stamps = new FileStamp[count];
        for (int i = 0; i < count; i++) {
            // no file has this length
            stamps[i] = new FileStamp(-2, 0, null);
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

    public static boolean areSame(FileStamp[] some, FileStamp[] others) {
        for (int i = 0; i < some.length; i++) {
            if (!some[i].isSameAs(others[i])) {
                return false;
            }
        }
        return true;
    }

    /** Tells if one of the files was written to so lately that it may be incomplete. */
    public static boolean areFresh(FileStamp[] stamps, long nowMs) {
        for (FileStamp stamp : stamps) {
            long ageNs = nowMs * 1_000_000L - stamp.modifiedNs;
            if (Math.abs(ageNs) < QUIET_NS) {
                return true;
            }
        }
        return false;
    }

    private boolean isSameAs(FileStamp other) {
        return octets == other.octets && modifiedNs == other.modifiedNs && Objects.equals(key, other.key);
    }
}

package io.remora.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The memory limit as it is known before anything is served, from the launcher and from the JVM's start. Immutable.
 *
 * @param bytes of the limit, 0 without one
 * @param from where the limit stands, as a path; empty without one
 * @param peakBytes that the profile was measured to take, 0 where it was not measured
 * @param heapStartBytes that the heap begins with
 * @param heapMaxBytes that it may grow to
 * @param directMaxBytes that buffers outside of it may take
 * @param machineBytes that the machine has
 */
public record MemoryLimit(
        long bytes,
        String from,
        long peakBytes,
        long heapStartBytes,
        long heapMaxBytes,
        long directMaxBytes,
        long machineBytes) {
    /** The launchers' properties. */
    private static final String LIMIT = "remora.limit";

    private static final String LIMIT_FROM = "remora.limit.from";
    private static final String PEAK = "remora.peak";

    /** The growth of a process after its start, where none was measured. */
    private static final long UNMEASURED_BYTES = 8 << 20;

    /** Limit up to which the room next to the process is not much more than what the kernel may read ahead at once. */
    private static final long LOW_BYTES = 64 << 20;

    /**
     * @param directMaxBytes that buffers may take
     * @param machineBytes that the machine has
     * @param residentBytes that the process takes now, which stands in for a peak that was not measured
     */
    public static MemoryLimit read(long directMaxBytes, long machineBytes, long residentBytes) {
        Runtime runtime = Runtime.getRuntime();
        long peakBytes = Long.getLong(PEAK, 0);
        return new MemoryLimit(
                Long.getLong(LIMIT, 0),
                System.getProperty(LIMIT_FROM, ""),
                peakBytes > 0 ? peakBytes : residentBytes + UNMEASURED_BYTES,
                runtime.totalMemory(),
                runtime.maxMemory(),
                directMaxBytes,
                machineBytes);
    }

    /** Returns the same with another number of bytes. */
    MemoryLimit of(long otherBytes) {
        return new MemoryLimit(otherBytes, from, peakBytes, heapStartBytes, heapMaxBytes, directMaxBytes, machineBytes);
    }

    /** Returns whether pages of files have to be read with care. */
    public boolean isLow() {
        return bytes > 0 && bytes <= LOW_BYTES;
    }

    /**
     * Identity of the limit, by the inode of its file; the path where there is no inode. Processes in namespaces or
     * containers of their own may call the same cgroup by several paths, and several by the same one. The kernel
     * numbers all of them together.
     */
    public String identity() {
        int name = from.lastIndexOf('/');
        if (name < 0) {
            return from;
        }
        try {
            return "inode " + Files.getAttribute(Path.of(from), "unix:ino") + ' ' + from.substring(name + 1);
        } catch (IOException | UnsupportedOperationException e) {
            return from;
        }
    }
}

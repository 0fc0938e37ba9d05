package io.remora.admin;

import io.remora.process.VmCommands;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A heap dump in a file. Until it is whole, the name of the file ends in {@code .part}.
 *
 * @param path of the file
 * @param bytes that it has
 */
record HeapDump(String path, long bytes) {
    /** A dump has 8 bytes for each reference and 25 for each object's head, of which the heap has 4 and 12. */
    private static final long GROWTH = 3;
    /** Room for the names of classes, methods and fields, which are not in the heap. */
    private static final long NAMES_BYTES = 16 << 20;
    /** Memory that the JVM takes for buffers of a dump, outside the heap. */
    private static final long BUFFERS_BYTES = 4 << 20;

    private static final String[] IN_MEMORY = {"tmpfs", "ramfs", "hugetlbfs"};

    /**
     * Writes a dump.
     *
     * @param limitBytes of the memory, 0 without a limit
     * @param usageBytes of this limit, negative where it is not known
     * @throws IOException if there is too little room, or the file cannot be written; there is no file then
     */
    static HeapDump write(String directory, long limitBytes, long usageBytes) throws IOException {
        Path folder = Path.of(directory);
        if (!Files.isDirectory(folder)) {
            throw new IOException(directory + " is not a directory");
        }
        check(folder, limitBytes, usageBytes);
        Path whole = folder.resolve("remora-" + System.currentTimeMillis() + ".hprof");
        Path part = folder.resolve(whole.getFileName() + ".part");
        try {
            VmCommands.dumpHeap(part.toString());
            Files.move(part, whole, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            Files.deleteIfExists(part);
            throw new IOException(directory + ": " + e.getMessage(), e);
        }
        return new HeapDump(whole.toString(), Files.size(whole));
    }

    private static void check(Path folder, long limitBytes, long usageBytes) throws IOException {
        Runtime runtime = Runtime.getRuntime();
        long most = estimate(runtime.totalMemory() - runtime.freeMemory());
        long free = new File(folder.toString()).getUsableSpace();
        if (free < most) {
            throw new IOException(
                    "the volume of " + folder + " has " + free + " bytes free, and a dump may need " + most);
        }
        if (limitBytes <= 0) {
            return;
        }
        // pages of a volume on a disk are written out and freed under a limit, those of one in memory are not
        long needed = BUFFERS_BYTES + (isInMemory(folder) ? most : 0);
        if (usageBytes < 0 || limitBytes - usageBytes < needed) {
            String room = usageBytes < 0 ? "an unknown number of" : Long.toString(limitBytes - usageBytes);
            throw new IOException("the memory limit has " + room + " bytes free, and a dump may need " + needed);
        }
    }

    /** Returns the size of a dump at most. */
    static long estimate(long heapUsedBytes) {
        return NAMES_BYTES + GROWTH * heapUsedBytes;
    }

    private static boolean isInMemory(Path folder) throws IOException {
        String type = Files.getFileStore(folder).type();
        for (String one : IN_MEMORY) {
            if (type.equals(one)) {
                return true;
            }
        }
        return false;
    }
}

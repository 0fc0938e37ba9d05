package io.remora.process;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * One number of the file in which HotSpot keeps its statistics, unless it runs with -XX:-UsePerfData or
 * -XX:+PerfDisableSharedMem: the only place that tells the number of compilations without an MBean server.
 *
 * <p>Owner: the admin thread. Bounds: the first {@value #MAX_BYTES} bytes of the file.
 */
public final class PerfData {
    private static final int MAGIC = 0xcafec0c0;
    private static final int MAX_BYTES = 64 * 1024;
    private static final int HEADER_BYTES = 32;
    private static final int ENTRY_BYTES = 20;
    /** The header's bytes with the position and the number of the entries. */
    private static final int FIRST_ENTRY = 24;

    private static final int ENTRIES = 28;
    private static final int BYTE_ORDER = 4;

    private PerfData() {}

    /** {@link ProcFile#UNKNOWN} where there is no such file or number. */
    public static long read(String name) {
        String path = "/tmp/hsperfdata_" + System.getProperty("user.name", "") + '/'
                + ProcFile.word(ProcFile.read("/proc/self/stat"), 0, 0);
        try (RandomAccessFile file = new RandomAccessFile(path, "r")) {
            byte[] bytes = new byte[(int) Math.min(file.length(), MAX_BYTES)];
            file.readFully(bytes);
            return find(ByteBuffer.wrap(bytes), bytes, name);
        } catch (IOException | IndexOutOfBoundsException e) {
            return ProcFile.UNKNOWN;
        }
    }

    private static long find(ByteBuffer data, byte[] bytes, String name) {
        if (bytes.length < HEADER_BYTES || data.getInt(0) != MAGIC) {
            return ProcFile.UNKNOWN;
        }
        data.order(bytes[BYTE_ORDER] == 1 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        int entry = data.getInt(FIRST_ENTRY);
        for (int left = data.getInt(ENTRIES); left > 0; left--) {
            int length = data.getInt(entry);
            int nameAt = entry + data.getInt(entry + 4);
            if (bytes[entry + 12] == 'J' && named(bytes, nameAt, name)) {
                return data.getLong(entry + data.getInt(entry + 16));
            }
            if (length < ENTRY_BYTES) {
                break;
            }
            entry += length;
        }
        return ProcFile.UNKNOWN;
    }

    private static boolean named(byte[] bytes, int at, String name) {
        String here = new String(bytes, at, name.length(), StandardCharsets.ISO_8859_1);
        return here.equals(name) && bytes[at + name.length()] == 0;
    }
}

package io.remora.log;

import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Standard output, or a file to which lines are appended. The file may be moved, truncated or deleted meanwhile.
 *
 * <p>Owner: the writer thread, except for {@link #open}.
 */
final class AccessOutput {
    /** Interval between checks of the file's path. */
    private static final long CHECK_NS = 1_000_000_000L;

    private final @Nullable File file;
    private @Nullable OutputStream out;
    private long expectedBytes;
    private long checkedNs;

    private AccessOutput(@Nullable File file) {
        this.file = file;
    }

    /**
     * Opens a regular file at once, so that a bad path is reported at the start. Anything else, such as a pipe, is
     * opened by the first write.
     */
    static AccessOutput open(String output) throws IOException {
        if (output.equals("stdout")) {
            AccessOutput standard = new AccessOutput(null);
            standard.out = new LineOutput(new FileOutputStream(FileDescriptor.out), new File("/proc/self/fd/1"));
            return standard;
        }
        AccessOutput named = new AccessOutput(new File(output));
        if (!named.special()) {
            named.reopen();
        }
        return named;
    }

    void write(LineBuffer lines) throws IOException {
        if (out == null || replaced()) {
            reopen();
        }
        if (out != null) {
            lines.writeTo(out);
            expectedBytes += lines.length();
        }
    }

    void close() throws IOException {
        if (file != null && out != null) {
            out.close();
        }
    }

    /** Tells if the output is a pipe or a device: opening one may block until it has a reader, and it has no length. */
    private boolean special() {
        return file != null && file.exists() && !file.isFile();
    }

    private void reopen() throws IOException {
        if (file == null) {
            return;
        }
        OutputStream previous = out;
        out = null;
        if (previous != null) {
            previous.close();
        }
        out = new LineOutput(new FileOutputStream(file, true), file);
        expectedBytes = file.length();
    }

    /** Tells if the path no longer names the open file, because that file is gone or shorter than what was written. */
    private boolean replaced() {
        long nowNs = System.nanoTime();
        if (file == null || nowNs - checkedNs < CHECK_NS) {
            return false;
        }
        checkedNs = nowNs;
        return !special() && file.length() < expectedBytes;
    }
}

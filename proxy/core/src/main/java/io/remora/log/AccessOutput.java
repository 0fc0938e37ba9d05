package io.remora.log;

import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Standard output, or a file that lines are appended to and that may be moved, cut or deleted while it is written.
 *
 * <p>Owner: the writer's thread, but for {@link #open}.
 */
final class AccessOutput {
    /** How often the file's name is looked at. */
    private static final long CHECK_NS = 1_000_000_000L;

    private final @Nullable File file;
    private @Nullable OutputStream out;
    private long expectedBytes;
    private long checkedNs;

    private AccessOutput(@Nullable File file) {
        this.file = file;
    }

    /**
     * Opens a file at once, so that a bad path is told at the start; what is no file, say a pipe, when it is written.
     */
    static AccessOutput open(String output) throws IOException {
        if (output.equals("stdout")) {
            AccessOutput standard = new AccessOutput(null);
            standard.out = new FileOutputStream(FileDescriptor.out);
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

    /** A pipe or a device: opening one may wait for its reader, and it has no length. */
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
        out = new FileOutputStream(file, true);
        expectedBytes = file.length();
    }

    /** A file that is gone or shorter than what was written is not the one that is open. */
    private boolean replaced() {
        long nowNs = System.nanoTime();
        if (file == null || nowNs - checkedNs < CHECK_NS) {
            return false;
        }
        checkedNs = nowNs;
        return !special() && file.length() < expectedBytes;
    }
}

package io.remora.process;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * A log of the JVM that is read while it grows. It goes to a file in memory, of which what was read is freed: no directory is
 * needed, and a reader that is slow holds up no thread of the JVM.
 *
 * <p>Owner: one thread. Cost: nothing before it is opened or after it is closed; in between, what was not read yet. Source: JEP 158,
 * memfd_create(2).
 */
public final class VmLog extends InputStream {
    private final int file;
    private final String path;
    private final InputStream in;
    private long readBytes;
    private boolean on;

    private VmLog(int file) throws IOException {
        this.file = file;
        path = "/proc/self/fd/" + file;
        in = new FileInputStream(path);
    }

    /**
     * Opens a log with these tags, as {@code -Xlog} takes them, and the time since the start of the JVM before each line.
     *
     * @throws IOException if this JVM has no commands, or refuses
     */
    public static VmLog open(String what) throws IOException {
        String problem = VmCommands.problem();
        if (problem != null) {
            throw new IOException(problem);
        }
        int file = open();
        VmLog log;
        try {
            log = new VmLog(file);
        } catch (IOException e) {
            close(file);
            throw e;
        }
        try {
            log.command("output_options=filecount=0 decorators=uptime what=" + what);
            log.on = true;
            return log;
        } catch (IOException e) {
            log.close();
            throw e;
        }
    }

    private void command(String rest) throws IOException {
        String said = VmCommands.execute("VM.log output=" + path + ' ' + rest).strip();
        if (!said.isEmpty()) {
            throw new IOException("the JVM said: " + said);
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    /** Reads what the JVM has logged since; returns how many bytes that were, -1 for none so far. */
    @Override
    public int read(byte[] into, int from, int length) throws IOException {
        int count = in.read(into, from, length);
        if (count > 0) {
            readBytes += count;
            discard(file, readBytes);
        }
        return count;
    }

    /** Returns the bytes that were logged and not read, which are in memory. */
    @Override
    public int available() throws IOException {
        return in.available();
    }

    /** Ends the log; what it has may still be read. */
    public void end() throws IOException {
        if (on) {
            on = false;
            command("what=all=off");
        }
    }

    @Override
    public void close() throws IOException {
        try {
            end();
        } finally {
            in.close();
            close(file);
        }
    }

    private static native int open() throws IOException;

    private static native void discard(int file, long length) throws IOException;

    private static native void close(int file);
}

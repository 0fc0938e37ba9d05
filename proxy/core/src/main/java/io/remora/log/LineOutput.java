package io.remora.log;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;

/**
 * Output of whole lines. A full disk or a killed process may cut a line; the output ends such a line before it begins
 * the next.
 *
 * <p>Owner: its writer. Cost: the file's last octet is read when it is opened, and after a write that failed.
 */
final class LineOutput extends OutputStream {
    private final OutputStream out;
    private final File file;
    /** Set while the file may end within a line. */
    private boolean mayBeCut = true;
    /** Set where a write has failed since then, so that the file ends within a line unless it can be read and does not. */
    private boolean failed;

    /**
     * @param out unbuffered
     * @param file where that leads; what is no regular file has no line that was cut
     */
    LineOutput(OutputStream out, File file) {
        this.out = out;
        this.file = file;
    }

    @Override
    public void write(int octet) throws IOException {
        write(new byte[] {(byte) octet}, 0, 1);
    }

    @Override
    public void write(byte[] lines, int offset, int length) throws IOException {
        if (mayBeCut && isCut()) {
            out.write('\n');
        }
        mayBeCut = true;
        failed = true;
        out.write(lines, offset, length);
        mayBeCut = false;
        failed = false;
    }

    private boolean isCut() {
        if (!file.isFile()) {
            return false;
        }
        try (RandomAccessFile written = new RandomAccessFile(file, "r")) {
            long length = written.length();
            written.seek(Math.max(0, length - 1));
            return length > 0 && written.read() != '\n';
        } catch (IOException e) {
            return failed;
        }
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}

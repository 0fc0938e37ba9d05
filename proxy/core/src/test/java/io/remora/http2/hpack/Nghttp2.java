package io.remora.http2.hpack;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** A process with nghttp2's HPACK, the program of {@code src/test/c/hpack.c}, which says what its lines mean. */
final class Nghttp2 implements AutoCloseable {
    static final String ERROR = "error";

    private final Process process;
    private final BufferedWriter to;
    private final BufferedReader from;

    Nghttp2(String program) throws IOException {
        process = new ProcessBuilder(program)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        to = process.outputWriter(StandardCharsets.US_ASCII);
        from = process.inputReader(StandardCharsets.US_ASCII);
    }

    /** Begins a connection, whose tables are empty. */
    void connect() throws IOException {
        to.write("new\n");
    }

    /** Returns what nghttp2 makes of a block: {@link #ERROR}, or the same as {@link #decoded}. */
    String decode(ByteBuf block) throws IOException {
        return ask("decode " + hex(block));
    }

    String ask(String line) throws IOException {
        to.write(line);
        to.write('\n');
        to.flush();
        String answer = from.readLine();
        if (answer == null) {
            throw new IOException("nghttp2's program has ended");
        }
        return answer;
    }

    static String decoded(FieldSection section) {
        StringBuilder all = new StringBuilder("ok");
        for (int i = 0; i < section.count(); i++) {
            append(all, section.array(), section.nameStart(i), section.nameEnd(i));
            append(all, section.array(), section.valueStart(i), section.valueEnd(i));
        }
        return all.toString();
    }

    static void append(StringBuilder to, byte[] array, int from, int behind) {
        to.append(' ').append(from == behind ? "-" : ByteBufUtil.hexDump(array, from, behind - from));
    }

    static String hex(ByteBuf octets) {
        return octets.isReadable() ? ByteBufUtil.hexDump(octets) : "-";
    }

    @Override
    public void close() {
        process.destroy();
    }
}

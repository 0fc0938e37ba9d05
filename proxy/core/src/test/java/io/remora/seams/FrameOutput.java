package io.remora.seams;

import io.netty.buffer.ByteBuf;
import io.remora.http.Fields;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** What one stream still has to send, as far as the peer gives it credit. Owner: its connection. */
final class FrameOutput {
    private final FrameHandler connection;
    private final int stream;
    private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>();
    private int credit = Frame.WINDOW;
    private boolean ended;
    private boolean endSent;
    private @Nullable Fields trailers;

    FrameOutput(FrameHandler connection, int stream) {
        this.connection = connection;
        this.stream = stream;
    }

    /** Takes over {@code content}. */
    void content(ByteBuf content) {
        waiting.add(content);
        send();
    }

    void end(@Nullable Fields with) {
        ended = true;
        trailers = with;
        send();
    }

    /** Whether all that was waiting has gone out with this credit. */
    boolean credit(int octets) {
        boolean waited = !waiting.isEmpty();
        credit += octets;
        send();
        return waited && waiting.isEmpty();
    }

    boolean isWritable() {
        return waiting.isEmpty() && connection.channel().isWritable();
    }

    boolean isEnded() {
        return endSent;
    }

    private void send() {
        while (credit > 0 && !waiting.isEmpty()) {
            ByteBuf first = waiting.getFirst();
            byte[] payload = new byte[Math.min(credit, first.readableBytes())];
            first.readBytes(payload);
            credit -= payload.length;
            if (!first.isReadable()) {
                waiting.removeFirst().release();
            }
            connection.write(new Frame(stream, Frame.Type.DATA, payload));
        }
        if (ended && waiting.isEmpty() && !endSent) {
            endSent = true;
            connection.write(Frame.end(stream, trailers));
        }
    }

    void release() {
        while (!waiting.isEmpty()) {
            waiting.removeFirst().release();
        }
    }
}

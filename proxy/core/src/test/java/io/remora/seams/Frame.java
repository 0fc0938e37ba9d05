package io.remora.seams;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.testkit.Wire;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One frame of a protocol whose connections carry many streams: four octets of the stream's number, one of the type, four
 * of the payload's length, and the payload.
 *
 * <p>A HEAD is lines of text: {@code METHOD TARGET AUTHORITY LENGTH} or {@code STATUS LENGTH}, -1 for a length that is not
 * known, and then the fields. An END holds the trailers. Each stream may send {@link #WINDOW} octets of DATA, and as many
 * more as a CREDIT says. Behind a GOAWAY no stream with a higher number than its own is served.
 */
public record Frame(int stream, Type type, byte[] payload) {
    public static final int WINDOW = 16 << 10;
    static final int HEADER_OCTETS = 9;

    /** What a frame is for. */
    public enum Type {
        HEAD,
        DATA,
        END,
        RESET,
        CREDIT,
        GOAWAY
    }

    public static Frame head(int stream, String text) {
        return new Frame(stream, Type.HEAD, Wire.bytes(text));
    }

    public static Frame data(int stream, String text) {
        return new Frame(stream, Type.DATA, Wire.bytes(text));
    }

    public static Frame end(int stream) {
        return end(stream, "");
    }

    public static Frame end(int stream, String trailers) {
        return new Frame(stream, Type.END, Wire.bytes(trailers));
    }

    public static Frame reset(int stream) {
        return new Frame(stream, Type.RESET, new byte[0]);
    }

    public static Frame credit(int stream, int octets) {
        return new Frame(
                stream, Type.CREDIT, ByteBuffer.allocate(4).putInt(octets).array());
    }

    /** {@code last} is the highest number of a stream that will be served. */
    public static Frame goAway(int last) {
        return new Frame(last, Type.GOAWAY, new byte[0]);
    }

    /** What a CREDIT gives. */
    public int octets() {
        return ByteBuffer.wrap(payload).getInt();
    }

    public String text() {
        return Wire.text(payload);
    }

    byte[] encoded() {
        return ByteBuffer.allocate(HEADER_OCTETS + payload.length)
                .putInt(stream)
                .put((byte) type.ordinal())
                .putInt(payload.length)
                .put(payload)
                .array();
    }

    ByteBuf buffer() {
        return Unpooled.wrappedBuffer(encoded());
    }

    /** The next frame, null at the end. */
    static @Nullable Frame read(DataInputStream in) throws IOException {
        int stream;
        try {
            stream = in.readInt();
        } catch (EOFException end) {
            return null;
        }
        Type type = Type.values()[in.readByte()];
        byte[] payload = new byte[in.readInt()];
        in.readFully(payload);
        return new Frame(stream, type, payload);
    }

    /** The next frame of what has arrived, null where it is not whole. */
    static @Nullable Frame read(ByteBuf in) {
        if (in.readableBytes() < HEADER_OCTETS) {
            return null;
        }
        int length = in.getInt(in.readerIndex() + 5);
        if (in.readableBytes() < HEADER_OCTETS + length) {
            return null;
        }
        int stream = in.readInt();
        Type type = Type.values()[in.readByte()];
        in.skipBytes(4);
        byte[] payload = new byte[length];
        in.readBytes(payload);
        return new Frame(stream, type, payload);
    }

    // ---- fields as text

    static void append(StringBuilder text, Fields fields) {
        for (int i = 0; i < fields.size(); i++) {
            text.append(fields.name(i)).append(": ").append(fields.value(i)).append('\n');
        }
    }

    /** The fields from the given line on. */
    static Fields fields(String text, int firstLine) {
        Fields fields = new Fields();
        String[] lines = text.split("\n");
        for (int i = firstLine; i < lines.length; i++) {
            int colon = lines[i].indexOf(": ");
            if (colon > 0) {
                fields.add(FieldName.of(lines[i].substring(0, colon)), lines[i].substring(colon + 2));
            }
        }
        return fields;
    }

    static @Nullable Fields trailers(Frame end) {
        return end.payload.length == 0 ? null : fields(end.text(), 0);
    }

    static Frame end(int stream, @Nullable Fields trailers) {
        StringBuilder text = new StringBuilder();
        if (trailers != null) {
            append(text, trailers);
        }
        return end(stream, text.toString());
    }
}

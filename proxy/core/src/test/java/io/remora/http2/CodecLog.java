package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Lines about what a codec has delivered to its receivers and written to its peer, in a form in which two codecs that
 * keep the RFC agree: content that follows content of its stream is one line, and so are the octets that were written.
 *
 * <p>Owner: one {@link CodecSide}.
 */
final class CodecLog {
    private static final int FRAME_HEADER = 9;
    private static final int PREFACE = 24;
    private static final int LARGEST = 1 << 24;

    private final boolean isServer;
    private final List<String> delivered = new ArrayList<>();
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private int contentOf;

    private final ByteBuf wire = Unpooled.buffer();
    private final Map<Integer, ByteBuf> blocks = new TreeMap<>();
    private final DefaultHttp2HeadersDecoder headers = new DefaultHttp2HeadersDecoder(false, LARGEST);
    private boolean decodes = true;
    private boolean begun;
    private int goAway = -1;

    CodecLog(boolean isServer) {
        this.isServer = isServer;
    }

    // ---- what was delivered

    void section(int stream, List<String> fields, boolean ends) {
        endContent();
        // two codecs may have names in another order, but not the values of one
        List<String> sorted = new ArrayList<>(fields);
        Collections.sort(sorted);
        delivered.add("section " + stream + " " + sorted);
        end(stream, ends);
    }

    void content(int stream, ByteBuf data, boolean ends) {
        if (contentOf != stream) {
            endContent();
            contentOf = stream;
        }
        byte[] octets = new byte[data.readableBytes()];
        data.getBytes(data.readerIndex(), octets);
        content.writeBytes(octets);
        end(stream, ends);
    }

    private void end(int stream, boolean ends) {
        if (ends) {
            endContent();
            delivered.add("end " + stream);
        }
    }

    void event(String line) {
        endContent();
        delivered.add(line);
    }

    private void endContent() {
        if (content.size() > 0) {
            byte[] octets = content.toByteArray();
            delivered.add("content " + contentOf + " " + octets.length + " " + java.util.Arrays.hashCode(octets));
            content.reset();
        }
        contentOf = 0;
    }

    // ---- what was written

    /** Sets the size of the table that the peer has for our sections. */
    void tableOctets(long octets) {
        try {
            headers.maxHeaderTableSize(octets);
        } catch (Http2Exception e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** Reads no more sections, as the peer's settings are not known any more. */
    void decodesNoMore() {
        decodes = false;
    }

    /** The code of the last GOAWAY; -1 for none. */
    int goAway() {
        return goAway;
    }

    void written(EmbeddedChannel channel) {
        Object message = channel.readOutbound();
        while (message != null) {
            ByteBuf octets = (ByteBuf) message;
            wire.writeBytes(octets);
            octets.release();
            message = channel.readOutbound();
        }
    }

    /** Returns what has been added since the last call: deliveries in their order, then frames by their kind. */
    List<String> take() {
        endContent();
        List<String> lines = new ArrayList<>(delivered);
        delivered.clear();
        List<String> frames = frames();
        Collections.sort(frames);
        lines.addAll(frames);
        return lines;
    }

    private List<String> frames() {
        if (!begun && !isServer && wire.readableBytes() >= PREFACE) {
            wire.skipBytes(PREFACE);
            begun = true;
        }
        List<String> lines = new ArrayList<>();
        Map<Integer, Integer> contents = new TreeMap<>();
        while (wire.readableBytes() >= FRAME_HEADER) {
            int length = wire.readUnsignedMedium();
            int type = wire.readUnsignedByte();
            int flags = wire.readUnsignedByte();
            int stream = wire.readInt();
            frame(type, flags, stream, wire.readSlice(length), lines, contents);
        }
        if (wire.isReadable()) {
            throw new AssertionError("half a frame was flushed");
        }
        wire.clear();
        contents.forEach((stream, octets) -> lines.add("> content " + stream + " " + octets));
        return lines;
    }

    private void frame(
            int type, int flags, int stream, ByteBuf payload, List<String> lines, Map<Integer, Integer> contents) {
        boolean ends = (flags & FrameClient.END_STREAM) != 0;
        switch (type) {
            case FrameClient.DATA -> {
                contents.merge(stream, payload.readableBytes(), Integer::sum);
                if (ends) {
                    lines.add("> end " + stream);
                }
            }
            case FrameClient.HEADERS, FrameClient.CONTINUATION -> block(flags, stream, payload, lines);
            case FrameClient.RST_STREAM ->
                lines.add("> reset " + stream + " " + ErrorCode.of(payload.readUnsignedInt()));
            case FrameClient.SETTINGS -> {
                if ((flags & FrameClient.ACK) != 0) {
                    lines.add("> settings known");
                }
            }
            case FrameClient.PING ->
                lines.add(((flags & FrameClient.ACK) != 0 ? "> answer " : "> ping ") + payload.readLong());
            case FrameClient.GOAWAY -> {
                payload.skipBytes(4);
                goAway = payload.readInt();
                lines.add("> gone away " + ErrorCode.of(goAway));
            }
            case FrameClient.WINDOW_UPDATE -> {
                // codecs open windows at other times
                if (payload.readInt() <= 0) {
                    throw new AssertionError("a window that is opened by nothing");
                }
            }
            default -> throw new AssertionError("a frame of type " + type);
        }
    }

    private void block(int flags, int stream, ByteBuf payload, List<String> lines) {
        ByteBuf block = blocks.computeIfAbsent(stream, id -> Unpooled.buffer());
        block.writeBytes(payload);
        if ((flags & FrameClient.END_STREAM) != 0) {
            lines.add("> end " + stream);
        }
        if ((flags & FrameClient.END_HEADERS) == 0) {
            return;
        }
        blocks.remove(stream);
        lines.add("> section " + stream + " " + (decodes ? fields(stream, block) : List.of()));
    }

    private List<String> fields(int stream, ByteBuf block) {
        try {
            return fields(headers.decodeHeaders(stream, block));
        } catch (Http2Exception e) {
            throw new AssertionError("a section that nobody can read", e);
        }
    }

    static List<String> fields(Http2Headers headers) {
        List<String> lines = new ArrayList<>();
        for (Map.Entry<CharSequence, CharSequence> field : headers) {
            lines.add(AsciiString.of(field.getKey()) + ": " + AsciiString.of(field.getValue()));
        }
        return lines;
    }
}

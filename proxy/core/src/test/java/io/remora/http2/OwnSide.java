package io.remora.http2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.AsciiString;
import io.remora.http2.hpack.FieldSection;
import io.remora.http2.hpack.HeaderBlock;
import io.remora.http2.hpack.HpackDecoder;
import io.remora.http2.hpack.HpackEncoder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A connection by our codec, behind which nothing is judged that Netty's decoder does not judge as well: what a side of
 * the proxy decides beyond that has tests of its own.
 *
 * <p>Owner: one thread.
 */
final class OwnSide implements CodecSide {
    private final boolean isServer;
    private final boolean takes;
    private final CodecLog log;
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final Codec codec;

    /**
     * @param takes whether content is taken at once, so that its windows are opened
     */
    OwnSide(boolean isServer, boolean takes) {
        this.isServer = isServer;
        this.takes = takes;
        this.log = new CodecLog(isServer);
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1 << 29, 1 << 30));
        this.codec = new Codec();
        channel.pipeline().addLast(codec);
        codec.greet();
        settle();
    }

    private void settle() {
        channel.runPendingTasks();
        log.written(channel);
    }

    CodecLog log() {
        return log;
    }

    @Override
    public void feed(byte[] octets) {
        if (!codec.over) {
            channel.writeInbound(Unpooled.wrappedBuffer(octets));
            settle();
        }
    }

    @Override
    public void head(int stream, boolean ends) {
        if (!isServer) {
            int next = codec.streams.next();
            if (next != stream) {
                throw new AssertionError("stream " + next + " instead of " + stream);
            }
            codec.begin(stream);
            // a fault may have named it before
            codec.reset.remove(stream);
        }
        codec.writeSection(stream, new HeadSection(CodecScript.head(isServer)), ends);
        flush();
    }

    private record HeadSection(Map<String, String> fields) implements SentSection {
        @Override
        public int mostOctets() {
            return fields.entrySet().stream()
                    .mapToInt(
                            field -> field.getKey().length() + field.getValue().length() + PREFIXES)
                    .sum();
        }

        @Override
        public void writeTo(HpackEncoder encoder, HeaderBlock out) {
            fields.forEach((name, value) -> encoder.line(out, AsciiString.of(name), AsciiString.of(value), false));
        }
    }

    @Override
    public void write(int stream, int octets, boolean ends) {
        codec.output.add(stream, Unpooled.wrappedBuffer(new byte[octets]), null);
        if (ends) {
            codec.output.end(stream);
        }
        flush();
    }

    @Override
    public void reset(int stream) {
        codec.reset.add(stream);
        codec.writeReset(stream, ErrorCode.CANCEL.code());
        flush();
    }

    private void flush() {
        codec.flush();
        settle();
    }

    @Override
    public boolean isOver() {
        return codec.over;
    }

    @Override
    public State state(int number) {
        WireStream stream = codec.streams.get(number);
        if (stream == null) {
            return codec.streams.mayHaveBeen(number) ? State.CLOSED : State.IDLE;
        }
        return switch (stream.state) {
            case OPEN -> State.OPEN;
            case HALF_CLOSED_LOCAL -> State.HALF_CLOSED_LOCAL;
            case HALF_CLOSED_REMOTE -> State.HALF_CLOSED_REMOTE;
            case CLOSED -> State.CLOSED;
        };
    }

    @Override
    public int window(int number) {
        WireStream stream = codec.streams.get(number);
        return number == 0 ? codec.output.window() : stream == null ? 0 : stream.window;
    }

    @Override
    public List<String> take() {
        return log.take();
    }

    @Override
    public void close() {
        channel.finishAndReleaseAll();
    }

    private final class Codec extends ConnectionCodec {
        private final HpackDecoder decoder = new HpackDecoder(Frames.FIRST_TABLE, CodecScript.LARGEST_SECTION);
        private final FieldSection section = new FieldSection();
        /** Streams of whose heads the last one has come. */
        private final Set<Integer> headed = new HashSet<>();

        private final Set<Integer> reset = new HashSet<>();
        private boolean over;
        private int open;
        private int lastAnswered = Integer.MAX_VALUE;

        Codec() {
            super(
                    channel,
                    new Own(isServer, false, CodecScript.WINDOW, Frames.LEAST_FRAME, CodecScript.LARGEST_SECTION),
                    new HpackEncoder(Frames.FIRST_TABLE),
                    PeerFrames.ofEndpoint(() -> 0, 1, 1));
        }

        void greet() {
            if (isServer) {
                writer.settings(
                        Frames.INITIAL_WINDOW_SIZE,
                        CodecScript.WINDOW,
                        Frames.MAX_CONCURRENT_STREAMS,
                        CodecScript.MOST_STREAMS);
            } else {
                input.begin();
                writer.preface(FrameClient.PREFACE.getBytes(ISO_8859_1));
                writer.settings(Frames.INITIAL_WINDOW_SIZE, CodecScript.WINDOW, Frames.ENABLE_PUSH, 0);
            }
            writer.flush();
        }

        @Override
        public void channelRead(ChannelHandlerContext at, Object message) {
            reader.read((ByteBuf) message);
            flush();
        }

        // ---- what comes

        @Override
        public boolean isOver() {
            return over;
        }

        @Override
        public boolean admits(int type, int flags, int stream, int length) {
            return true;
        }

        @Override
        HpackDecoder.@Nullable Fault decompress(ByteBuf block, int from, int to) {
            return decoder.decode(block, from, to, section);
        }

        @Override
        void dropSection() {
            section.clear();
        }

        @Override
        boolean begins(int id) {
            if (!isServer || !streams.isOfPeer(id) || streams.mayHaveBeen(id)) {
                stray(Frames.HEADERS, id);
                return false;
            }
            if (open == CodecScript.MOST_STREAMS) {
                streamFault(id, ErrorCode.REFUSED_STREAM);
                return false;
            }
            open++;
            reset.remove(id);
            return true;
        }

        @Override
        void section(int id, boolean first, boolean ends) {
            List<String> fields = fields();
            boolean interim = !isServer && !fields.isEmpty() && fields.get(0).startsWith(":status: 1");
            if (headed.contains(id) && (!ends || interim)) {
                streamFault(id, ErrorCode.PROTOCOL_ERROR);
                return;
            }
            if (!interim) {
                headed.add(id);
            }
            log.section(id, fields, ends);
        }

        private List<String> fields() {
            List<String> fields = new ArrayList<>();
            for (int i = 0; i < section.count(); i++) {
                String name = text(section.nameStart(i), section.nameEnd(i));
                fields.add(name + ": " + text(section.valueStart(i), section.valueEnd(i)));
            }
            return fields;
        }

        private String text(int from, int to) {
            return new String(section.array(), from, to - from, ISO_8859_1);
        }

        @Override
        void sectionTooLarge(int id) {
            streamFault(id, ErrorCode.PROTOCOL_ERROR);
        }

        @Override
        int content(int id, ByteBuf data, boolean ends) {
            log.content(id, data, ends);
            return takes ? data.readableBytes() : 0;
        }

        @Override
        void stray(int type, int id) {
            if (!streams.mayHaveBeen(id)) {
                connectionFault(ErrorCode.PROTOCOL_ERROR);
            } else if (type == Frames.DATA || type == Frames.HEADERS) {
                streamFault(id, ErrorCode.STREAM_CLOSED);
            }
        }

        @Override
        void resetByPeer(int id, long code) {
            log.event("reset " + id + " " + code);
        }

        @Override
        void widened(int id) {}

        @Override
        void settingsRead(PeerSettings settings) {}

        @Override
        void acknowledged() {
            log.event("settings known");
        }

        @Override
        void pingAnswered(long data) {
            log.event("answer " + data);
        }

        @Override
        void closed(int id) {
            open--;
        }

        @Override
        public void goAwayRead(int last, long code) {
            log.event("gone away " + last + " " + code);
            if (!isServer && last > lastAnswered) {
                connectionFault(ErrorCode.PROTOCOL_ERROR);
                return;
            }
            lastAnswered = last;
            if (!isServer) {
                forgetAbove(last);
            }
        }

        @Override
        public void unknown(int type, int stream, ByteBuf in, int from, int length) {}

        // ---- faults

        @Override
        public void streamFault(int id, ErrorCode error) {
            // RFC 9113 5.1: what comes behind a reset of ours is ignored
            if (reset.add(id)) {
                writeReset(id, error.code());
            }
        }

        @Override
        public void connectionFault(ErrorCode error) {
            over = true;
            writer.goAway(streams.lastOfPeer(), error.code());
            writer.flush();
            settle();
        }
    }
}

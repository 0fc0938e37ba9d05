package io.remora.http2;

import io.remora.http2.CodecFuzz.Context;
import io.remora.http2.CodecSide.State;
import io.remora.http2.hpack.Oddities;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Differences between Netty's codec and ours in which the RFC is with ours: a section of RFC 9113, and its condition. */
enum CodecDifference {
    /**
     * A window that SETTINGS make too large is an error of the connection; Netty resets the first of its streams. Content
     * for which another window has become large enough may go before the end.
     */
    SETTINGS_OVERFLOW(
            "6.9.2",
            at -> at.isFrame(Frames.SETTINGS)
                    && at.ownEnds(ErrorCode.FLOW_CONTROL_ERROR)
                    && (at.netty().stream()
                                    .anyMatch(
                                            line -> line.startsWith("> reset ") && line.endsWith(" FLOW_CONTROL_ERROR"))
                            || withoutContent(at.own()).equals(at.netty()))),

    /** Content beyond a stream's window, or behind its end, costs the stream; Netty returns it to the connection twice. */
    CONTENT_THAT_IS_NOT_DUE(
            "6.9.1",
            at -> at.isFrame(Frames.DATA)
                    && (at.nettyEnds(ErrorCode.INTERNAL_ERROR) || at.nettyResets(ErrorCode.INTERNAL_ERROR))
                    && (at.ownResets(ErrorCode.FLOW_CONTROL_ERROR) || at.ownResets(ErrorCode.STREAM_CLOSED))),

    /** Content behind its stream's end is that first, and beyond a window only then. */
    CONTENT_BEHIND_END(
            "5.1",
            at -> at.isFrame(Frames.DATA)
                    && at.before() == State.HALF_CLOSED_REMOTE
                    && at.nettyResets(ErrorCode.FLOW_CONTROL_ERROR)
                    && at.ownResets(ErrorCode.STREAM_CLOSED)),

    /** A frame that is too small for its padding may end the connection, of any type; Netty resets the stream of DATA. */
    CONTENT_WITHOUT_PADDING(
            "5.4.1",
            at -> at.frame() != null
                    && at.isFrame(Frames.DATA)
                    && at.frame().payload().length == 0
                    && (at.nettyResets(ErrorCode.FRAME_SIZE_ERROR)
                            || (at.before() == State.CLOSED || at.before() == State.IDLE)
                                    && at.netty()
                                            .equals(at.own().stream()
                                                    .filter(line -> !line.endsWith(" FRAME_SIZE_ERROR"))
                                                    .toList()))
                    && at.ownEnds(ErrorCode.FRAME_SIZE_ERROR)),

    /** A HEADERS frame that makes its stream depend on itself is an error of that stream at most; Netty ends the connection. */
    DEPENDENCY_ON_ITSELF(
            "5.3.2",
            at -> at.nettyEnds(ErrorCode.PROTOCOL_ERROR)
                    && at.frame() != null
                    && dependsOnItself(at.frame())
                    && at.own().stream().noneMatch(line -> line.startsWith("section "))),

    /** Lengths that contradict each other or the content are judged above our codec; Netty's resets the stream. */
    LENGTH_OF_CONTENT(
            "8.1.1",
            at -> at.nettyResets(ErrorCode.PROTOCOL_ERROR)
                    && !at.ownResets(ErrorCode.PROTOCOL_ERROR)
                    && (at.isFrame(Frames.DATA) || at.own().stream().anyMatch(CodecDifference::hasLength))),

    /** A block that changes its table's size three times, or has an integer without end, is in error; Netty reads it. */
    BLOCK_IN_ERROR(
            "4.3", at -> at.ownEnds(ErrorCode.COMPRESSION_ERROR) && at.block() != null && Oddities.in(at.block())),

    /** A frame is judged once it is whole, and {@link CodecFuzz} has it be so; Netty refuses some by their header. */
    NOT_WHOLE_YET(
            "5.4.1",
            at -> at.frame() == null
                    && at.own().isEmpty()
                    && (at.nettyEnds(ErrorCode.PROTOCOL_ERROR) || at.nettyEnds(ErrorCode.FRAME_SIZE_ERROR))),

    /** The size of a frame is judged before the other fields of its header; Netty judges it after them. */
    TOO_LARGE(
            "4.2",
            at -> at.frame() == null
                    && at.begunLength() > Frames.LEAST_FRAME
                    && at.ownEnds(ErrorCode.FRAME_SIZE_ERROR)
                    && at.nettyEnds(ErrorCode.PROTOCOL_ERROR)),

    /**
     * A server must not allow pushes; Netty acknowledges the settings before it finds that out, and does not find it out where
     * a later setting of the frame replaces this one.
     */
    SETTINGS_IN_ERROR(
            "6.5.2",
            at -> !at.isServer()
                    && at.frame() != null
                    && at.isFrame(Frames.SETTINGS)
                    && allowsPush(at.frame().payload())
                    && at.netty().contains("> settings known")
                    && at.own().equals(List.of("> gone away " + ErrorCode.PROTOCOL_ERROR))),

    /** No push may come, to either side; Netty reads its header block first. */
    PUSH("8.4", at -> at.isFrame(Frames.PUSH_PROMISE) && at.ownEnds(ErrorCode.PROTOCOL_ERROR)),

    /** No reset is answered by one; Netty does where content waited. */
    RESET_FOR_A_RESET(
            "5.4.2",
            at -> at.isFrame(Frames.RST_STREAM)
                    && at.nettyResets(ErrorCode.STREAM_CLOSED)
                    && !at.ownResets(ErrorCode.STREAM_CLOSED)),

    /** An end without content needs no window of the connection; Netty has it wait for one. */
    END_WITHOUT_WINDOW(
            "6.9.1",
            at -> at.step() instanceof CodecScript.Write write
                    && write.ends()
                    && write.octets() == 0
                    && at.netty().isEmpty()
                    && at.own().equals(List.of("> content " + write.stream() + " 0", "> end " + write.stream()))),

    /** Streams that share the connection's window each have a part of it, and a sender chooses which (section 5.2.1). */
    SHARES_OF_WINDOW(
            "6.9",
            at -> (at.isFrame(Frames.WINDOW_UPDATE) || at.isFrame(Frames.SETTINGS))
                    && octetsOfContent(at.own()) > 0
                    && octetsOfContent(at.own()) == octetsOfContent(at.netty())
                    && Set.copyOf(streamsOfContent(at.own(), at.netty())).size() > 1
                    && streamsOfContent(at.own(), at.netty()).containsAll(streamsOfOneEnd(at))
                    && withoutContent(at.own()).equals(withoutContent(at.netty()))),

    /** A stream that a GOAWAY closes needs no reset; Netty writes one where content waited. */
    RESET_BEHIND_GOAWAY(
            "6.8",
            at -> !at.isServer()
                    && at.isFrame(Frames.GOAWAY)
                    && at.own()
                            .equals(at.netty().stream()
                                    .filter(line -> !line.startsWith("> reset ")
                                            || !line.endsWith(" " + ErrorCode.STREAM_CLOSED))
                                    .toList())),

    /** Trailers behind the end are frames of a half-closed stream, whether they end it once more or not. */
    SECTION_BEHIND_END(
            "5.1",
            at -> at.before() == State.HALF_CLOSED_REMOTE
                    && at.nettyResets(ErrorCode.PROTOCOL_ERROR)
                    && at.ownResets(ErrorCode.STREAM_CLOSED)),

    /** A client that takes fewer pushes than before breaks no rule that a server has to judge; Netty ends the connection. */
    GOAWAY_OF_A_CLIENT(
            "6.8",
            at -> at.isServer()
                    && at.isFrame(Frames.GOAWAY)
                    && at.nettyEnds(ErrorCode.PROTOCOL_ERROR)
                    && at.own().stream().noneMatch(line -> line.startsWith(">"))),

    /** A server opens no stream where pushes are off; Netty opens it. */
    STREAM_OF_SERVER(
            "8.4",
            at -> !at.isServer()
                    && (at.isFrame(Frames.HEADERS) || at.isFrame(Frames.CONTINUATION))
                    && at.stream() % 2 == 0
                    && at.ownEnds(ErrorCode.PROTOCOL_ERROR));

    private final String section;
    private final Predicate<Context> condition;

    CodecDifference(String section, Predicate<Context> condition) {
        this.section = section;
        this.condition = condition;
    }

    /** Returns the section of RFC 9113 that decides. */
    String section() {
        return section;
    }

    /** Returns the difference that explains what was found; null where it is a fault of ours. */
    static @Nullable CodecDifference of(Context found) {
        for (CodecDifference one : values()) {
            if (one.condition.test(found)) {
                return one;
            }
        }
        return null;
    }

    private static int octetsOfContent(List<String> lines) {
        return lines.stream()
                .filter(line -> line.startsWith("> content "))
                .mapToInt(line -> Integer.parseInt(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    private static List<String> streamsOfContent(List<String> own, List<String> netty) {
        return Stream.concat(own.stream(), netty.stream())
                .filter(line -> line.startsWith("> content "))
                .map(line -> line.split(" ")[2])
                .toList();
    }

    /** Returns the streams that end on one side only. */
    private static Set<String> streamsOfOneEnd(Context at) {
        return Stream.concat(at.own().stream(), at.netty().stream())
                .filter(line -> line.startsWith("> end ")
                        && at.own().contains(line) != at.netty().contains(line))
                .map(line -> line.split(" ")[2])
                .collect(Collectors.toSet());
    }

    private static List<String> withoutContent(List<String> lines) {
        return lines.stream()
                .filter(line -> !line.startsWith("> content ") && !line.startsWith("> end "))
                .toList();
    }

    private static boolean hasLength(String line) {
        return line.startsWith("section ") && line.contains("content-length: ");
    }

    private static boolean allowsPush(byte[] settings) {
        ByteBuffer pairs = ByteBuffer.wrap(settings);
        boolean allows = false;
        while (pairs.remaining() >= Short.BYTES + Integer.BYTES) {
            allows |= pairs.getShort() == Frames.ENABLE_PUSH & pairs.getInt() == 1;
        }
        return allows;
    }

    private static boolean dependsOnItself(FrameClient.Frame frame) {
        int at = (frame.flags() & Frames.PADDED) == 0 ? 0 : 1;
        byte[] payload = frame.payload();
        if (frame.type() != Frames.HEADERS || (frame.flags() & Frames.PRIORITIZED) == 0 || payload.length < at + 4) {
            return false;
        }
        byte[] stream = Arrays.copyOfRange(payload, at, at + 4);
        stream[0] &= 0x7f;
        return Arrays.equals(stream, FrameClient.number(frame.stream() & Integer.MAX_VALUE));
    }
}

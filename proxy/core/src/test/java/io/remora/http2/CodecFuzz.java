package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.remora.http2.CodecScript.Head;
import io.remora.http2.CodecScript.Octets;
import io.remora.http2.CodecScript.Reset;
import io.remora.http2.CodecScript.Step;
import io.remora.http2.CodecScript.Write;
import io.remora.http2.CodecSide.State;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Compares our codec of HTTP/2 with Netty's, step by step of a {@link CodecScript} and in either role: what was delivered,
 * what was written, errors of a stream or of the connection, and the states and windows after it. Octets are read frame by
 * frame, wherever damaged ones have a frame begin, so that each difference has one frame. Where the RFC sides with ours,
 * {@link CodecDifference} says so, and the comparison ends. Reads of several frames are compared with ourselves alone: of
 * two further connections, one reads each step at once and one in pieces, which has to come to the same.
 *
 * <p>A fuzzer calls {@link #fuzzerTestOneInput}; that of {@code scripts/fuzz-h2} is Jazzer, that of {@link CodecFuzzTest}
 * our own. Pure functions.
 */
public final class CodecFuzz {
    private static final int HIGHEST = 17;

    private CodecFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        judge(input);
    }

    /** How far a comparison got. */
    record Result(int steps, int all, @Nullable CodecDifference ended) {}

    static Result judge(byte[] input) {
        CodecScript script = new CodecScript(input);
        return new Comparison(script).run();
    }

    /**
     * Everything that a difference may be judged by.
     *
     * @param frame one that was whole by then, wherever damaged octets have it begin; null for none
     * @param block what has come of its header block; null where it has none
     * @param begunLength length of the payload of a frame that has begun and is not whole; -1 for none
     * @param before state of its stream before the step
     * @param netty lines of the step
     */
    record Context(
            Step step,
            FrameClient.@Nullable Frame frame,
            @Nullable ByteBuf block,
            int begunLength,
            boolean isServer,
            State before,
            List<String> netty,
            List<String> own) {
        boolean isFrame(int type) {
            return frame != null && frame.type() == type;
        }

        int stream() {
            return frame == null ? 0 : frame.stream() & Integer.MAX_VALUE;
        }

        boolean nettyEnds(ErrorCode error) {
            return netty.contains("> gone away " + error);
        }

        boolean ownEnds(ErrorCode error) {
            return own.contains("> gone away " + error);
        }

        boolean nettyResets(ErrorCode error) {
            return netty.contains("> reset " + stream() + " " + error);
        }

        boolean ownResets(ErrorCode error) {
            return own.contains("> reset " + stream() + " " + error);
        }
    }

    /** The frames of octets as they come. */
    private static final class Splitter {
        private byte[] rest = {};
        private int skipped;

        Splitter(int preface) {
            skipped = preface;
        }

        /** Returns where the first frame of the octets from an index on ends, or that all of them are a part of one. */
        int end(byte[] octets, int from) {
            int at = from + Math.min(skipped, octets.length - from);
            ByteBuf begun = Unpooled.wrappedBuffer(
                    Unpooled.wrappedBuffer(rest), Unpooled.wrappedBuffer(octets, at, octets.length - at));
            return begun.readableBytes() < Frames.HEADER_OCTETS
                    ? octets.length
                    : Math.min(octets.length, at + Frames.HEADER_OCTETS + begun.getUnsignedMedium(0) - rest.length);
        }

        /** Takes octets of one frame; returns it if it is whole with them. */
        FrameClient.@Nullable Frame add(byte[] octets) {
            int skip = Math.min(skipped, octets.length);
            skipped -= skip;
            byte[] all = Arrays.copyOf(rest, rest.length + octets.length - skip);
            System.arraycopy(octets, skip, all, rest.length, octets.length - skip);
            ByteBuf in = Unpooled.wrappedBuffer(all);
            rest = all;
            if (all.length < Frames.HEADER_OCTETS || all.length - Frames.HEADER_OCTETS < in.getUnsignedMedium(0)) {
                return null;
            }
            byte[] payload = new byte[in.readUnsignedMedium()];
            int type = in.readUnsignedByte();
            int flags = in.readUnsignedByte();
            int stream = in.readInt();
            in.readBytes(payload);
            rest = new byte[0];
            return new FrameClient.Frame(type, flags, stream, payload);
        }

        /** Returns the length of a frame's payload that is not whole; -1 before its header is. */
        int begunLength() {
            return rest.length < Frames.HEADER_OCTETS
                    ? -1
                    : Unpooled.wrappedBuffer(rest).getUnsignedMedium(0);
        }

        /** Returns the octets that are missing in the frame that is not whole. */
        int missing() {
            return Frames.HEADER_OCTETS + Unpooled.wrappedBuffer(rest).getUnsignedMedium(0) - rest.length;
        }
    }

    private static final class Comparison {
        private final CodecScript script;
        private final Splitter splitter;
        private final Set<Integer> headed = new HashSet<>();
        private final Set<Integer> reset = new HashSet<>();
        private final Set<Integer> ended = new HashSet<>();
        private @Nullable ByteBuf block;
        private boolean mayOpen = true;
        private int opened = CodecScript.FIRST - 2;

        Comparison(CodecScript script) {
            this.script = script;
            this.splitter = new Splitter(script.isServer() ? FrameClient.PREFACE.length() : 0);
        }

        Result run() {
            List<Step> steps = script.steps();
            try (NettySide netty = new NettySide(script.isServer(), script.takes());
                    OwnSide own = new OwnSide(script.isServer(), script.takes());
                    OwnSide fast = new OwnSide(script.isServer(), script.takes());
                    OwnSide slow = new OwnSide(script.isServer(), script.takes())) {
                List<String> whole = new ArrayList<>();
                List<String> pieces = new ArrayList<>();
                for (int i = 0; i < steps.size(); i++) {
                    Step step = steps.get(i);
                    if (netty.isOver()) {
                        return new Result(i, steps.size(), null);
                    }
                    if (!isPossible(step, netty)) {
                        continue;
                    }
                    CodecDifference difference =
                            step instanceof Octets octets ? read(octets, netty, own) : command(step, netty, own);
                    if (difference != null) {
                        return new Result(i, steps.size(), difference);
                    }
                    take(step, fast);
                    takeInPieces(step, slow);
                    whole.addAll(fast.take());
                    pieces.addAll(slow.take());
                    if (!pieces.equals(whole)) {
                        throw new AssertionError(
                                "in pieces " + tail(pieces) + "\nwhole " + tail(whole) + "\nafter " + tell(i, steps));
                    }
                }
            }
            return new Result(steps.size(), steps.size(), null);
        }

        private @Nullable CodecDifference command(Step step, NettySide netty, OwnSide own) {
            Map<Integer, State> before = states(netty, null);
            command(step, netty);
            command(step, own);
            return compare(step, null, before, netty, own);
        }

        private @Nullable CodecDifference read(Octets step, NettySide netty, OwnSide own) {
            log(netty, step);
            log(own, step);
            byte[] octets = step.octets();
            CodecDifference difference = null;
            int to;
            for (int from = 0; from < octets.length && difference == null && !netty.isOver(); from = to) {
                to = splitter.end(octets, from);
                byte[] part = Arrays.copyOfRange(octets, from, to);
                FrameClient.Frame frame = splitter.add(part);
                Map<Integer, State> before = states(netty, frame);
                netty.feed(part);
                own.feed(part);
                difference = compare(step, frame, before, netty, own);
            }
            return difference;
        }

        // commands are what a state allows; what it does not is above a codec
        private boolean isPossible(Step step, NettySide netty) {
            if (step instanceof Octets frame) {
                mayOpen &= !frame.what().contains("GOAWAY") && frame.isKnown();
                return true;
            }
            State state = netty.state(stream(step));
            boolean open = state == State.OPEN || state == State.HALF_CLOSED_REMOTE;
            if (step instanceof Head head) {
                return script.isServer() ? open && headed.add(head.stream()) : opens(head.stream());
            }
            if (step instanceof Write write) {
                // an end may wait behind content, and nobody writes after it
                boolean may = open && headed.contains(write.stream()) && !ended.contains(write.stream());
                if (may && write.ends()) {
                    ended.add(write.stream());
                }
                return may;
            }
            boolean exists = state != State.IDLE && state != State.CLOSED;
            return exists && reset.add(stream(step));
        }

        private boolean opens(int stream) {
            if (!mayOpen || stream != opened + 2) {
                return false;
            }
            opened = stream;
            return headed.add(stream);
        }

        private @Nullable CodecDifference compare(
                Step step,
                FrameClient.@Nullable Frame frame,
                Map<Integer, State> before,
                NettySide netty,
                OwnSide own) {
            List<String> expected = netty.take();
            List<String> found = own.take();
            takeBlock(frame);
            Map<Integer, String> states = differences(netty, own);
            if (expected.equals(found) && states.isEmpty() && netty.isOver() == own.isOver()) {
                return null;
            }
            State state = before.getOrDefault(frame == null ? 0 : frame.stream() & Integer.MAX_VALUE, State.IDLE);
            CodecDifference difference = CodecDifference.of(new Context(
                    step,
                    frame,
                    frame == null ? null : block,
                    splitter.begunLength(),
                    script.isServer(),
                    state,
                    expected,
                    found));
            if (difference == CodecDifference.NOT_WHOLE_YET) {
                own.feed(new byte[splitter.missing()]);
            }
            if (difference != null && (difference != CodecDifference.NOT_WHOLE_YET || own.isOver())) {
                return difference;
            }
            throw new AssertionError("after " + CodecScript.describe(step) + " as "
                    + (script.isServer() ? "server" : "client") + ", states " + before + "\nNetty " + expected
                    + "\nours  "
                    + found + "\nstates (Netty, ours) " + states + "\nover " + netty.isOver() + " " + own.isOver());
        }

        /** Keeps what has come of a header block; a frame that is no part of one ends it. */
        private void takeBlock(FrameClient.@Nullable Frame frame) {
            if (frame != null) {
                boolean isPart = frame.type() == Frames.CONTINUATION && block != null;
                ByteBuf before = isPart ? block : null;
                block = frame.type() == Frames.HEADERS || isPart ? joined(before, frame) : null;
            }
        }

        private static ByteBuf joined(@Nullable ByteBuf before, FrameClient.Frame frame) {
            byte[] payload = frame.payload();
            ByteBuf block = Unpooled.buffer();
            if (before != null) {
                return block.writeBytes(before.duplicate()).writeBytes(payload);
            }
            boolean isPadded = (frame.flags() & Frames.PADDED) != 0 && payload.length > 0;
            int behind = payload.length - (isPadded ? payload[0] & 0xff : 0);
            int from = (isPadded ? 1 : 0) + ((frame.flags() & Frames.PRIORITIZED) == 0 ? 0 : 5);
            return from < behind ? block.writeBytes(payload, from, behind - from) : block;
        }

        /** Returns the states of the first streams, and of the one that the frame is of. */
        private static Map<Integer, State> states(NettySide netty, FrameClient.@Nullable Frame frame) {
            Map<Integer, State> states = new TreeMap<>();
            int own = frame == null ? 0 : frame.stream() & Integer.MAX_VALUE;
            if (own > 0) {
                states.put(own, netty.state(own));
            }
            for (int stream = 1; stream <= HIGHEST; stream++) {
                states.put(stream, netty.state(stream));
            }
            return states;
        }

        private static Map<Integer, String> differences(NettySide netty, OwnSide own) {
            Map<Integer, String> differences = new TreeMap<>();
            if (netty.isOver() || own.isOver()) {
                return differences;
            }
            boolean open = netty.window(0) > 0;
            for (int stream = 0; stream <= HIGHEST; stream++) {
                State expected = stream == 0 ? State.OPEN : netty.state(stream);
                State found = stream == 0 ? State.OPEN : own.state(stream);
                // streams that share a window which is used up are free to share it in another way
                boolean counts = stream == 0 || open && expected != State.IDLE && expected != State.CLOSED;
                boolean windows = counts && netty.window(stream) != own.window(stream);
                if (expected != found || windows) {
                    differences.put(
                            stream, expected + " " + netty.window(stream) + ", " + found + " " + own.window(stream));
                }
            }
            return differences;
        }

        // ---- steps

        private static int stream(Step step) {
            if (step instanceof Head head) {
                return head.stream();
            }
            if (step instanceof Write write) {
                return write.stream();
            }
            return step instanceof Reset one ? one.stream() : ((Octets) step).stream();
        }

        private static void take(Step step, CodecSide side) {
            if (step instanceof Octets frame) {
                log(side, frame);
                side.feed(frame.octets());
            } else {
                command(step, side);
            }
        }

        private static void takeInPieces(Step step, CodecSide side) {
            if (!(step instanceof Octets frame)) {
                command(step, side);
                return;
            }
            log(side, frame);
            byte[] octets = frame.octets();
            // the payload of a long frame in one piece, as what counts is where its header is cut
            int at = 0;
            for (int cut = 1; at < octets.length; cut = at < 16 ? 1 : octets.length) {
                int to = Math.min(octets.length, at + cut);
                side.feed(Arrays.copyOfRange(octets, at, to));
                at = to;
            }
        }

        private static void log(CodecSide side, Octets frame) {
            CodecLog log = side instanceof NettySide netty ? netty.log() : ((OwnSide) side).log();
            if (!frame.isKnown()) {
                log.decodesNoMore();
            } else if (frame.table() >= 0) {
                log.tableOctets(frame.table());
            }
        }

        private static void command(Step step, CodecSide side) {
            if (step instanceof Head head) {
                side.head(head.stream(), head.ends());
            } else if (step instanceof Write write) {
                side.write(write.stream(), write.octets(), write.ends());
            } else {
                side.reset(stream(step));
            }
        }

        private static List<String> tail(List<String> lines) {
            return lines.subList(Math.max(0, lines.size() - 8), lines.size());
        }

        private static String tell(int last, List<Step> steps) {
            StringBuilder text = new StringBuilder();
            for (int i = Math.max(0, last - 4); i <= last; i++) {
                text.append("\n  ").append(CodecScript.describe(steps.get(i)));
            }
            return text.toString();
        }
    }

    /** Counts how comparisons end, so that a test can tell that they are not for nothing. */
    static final class Tally {
        private final Map<CodecDifference, Integer> ends = new EnumMap<>(CodecDifference.class);
        private int runs;
        private long steps;

        void add(Result result) {
            runs++;
            steps += result.steps();
            if (result.ended() != null) {
                ends.merge(result.ended(), 1, Integer::sum);
            }
        }

        int runs() {
            return runs;
        }

        long steps() {
            return steps;
        }

        Map<CodecDifference, Integer> ends() {
            return ends;
        }
    }
}

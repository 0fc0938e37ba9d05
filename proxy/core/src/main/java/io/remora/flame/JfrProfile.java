package io.remora.flame;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A profile as a file of JFR, with one chunk. Samples of time are execution samples, and bytes are allocation samples. A tree
 * has no times, so the events are spread over the time of the profile; each stack's events lie about equally far apart.
 * Frames have no lines, and methods no descriptors. The numbers of threads and the types of code that is not Java are made up.
 *
 * <p>Owner: one thread. Bounds: {@value #MAX_EVENTS} events of samples. Cost: each byte is made twice, as the head holds the
 * size. Spec: the JDK's jdk.jfr.internal.consumer.ChunkHeader and ChunkParser, version 2.0.
 */
final class JfrProfile {
    static final int MAX_EVENTS = 1 << 16;

    private static final int MAGIC = 0x464c5200;
    private static final int HEAD_BYTES = 68;
    private static final int COMPRESSED_NUMBERS = 1;
    private static final long NS_PER_MS = 1_000_000;
    private static final long NS_PER_S = 1_000_000_000;
    private static final double GOLDEN = 0.618;
    private static final int RUNNABLE = 1;
    private static final int UNKNOWN = 2;
    private static final String DESCRIPTOR = "()V";
    private static final String[] FRAME_TYPES = {"Java", "C++", "Native", "Kernel"};

    private final CallTree tree;
    private final FlameHead head;
    private final long samplesPerEvent;
    private final long durationNs;
    /** The node of each event; those of a node are in a row. */
    private final int[] events;

    private final Map<String, Integer> symbols = new LinkedHashMap<>();
    private final Map<String, Integer> classes = new LinkedHashMap<>();
    private int stacks;
    private int threads;
    private int checkpointAt;
    private int chunkBytes;

    private JfrProfile(CallTree tree, FlameHead head) {
        this.tree = tree;
        this.head = head;
        boolean counted = head.measure().isCounted();
        long total = tree.total(CallTree.NOW);
        samplesPerEvent = counted ? Math.max(1, (total + MAX_EVENTS - 1) / MAX_EVENTS) : 1;
        int[] nodes = new int[counted ? (int) (total / samplesPerEvent) : tree.nodes()];
        int count = 0;
        long seen = 0;
        for (int node = CallTree.ROOT + 1; node < tree.nodes(); node++) {
            long self = tree.self(node, CallTree.NOW);
            seen += self;
            stacks += self > 0 ? 1 : 0;
            long end = counted ? seen / samplesPerEvent : count + (self > 0 ? 1 : 0);
            while (count < end) {
                nodes[count++] = node;
            }
        }
        events = Arrays.copyOf(nodes, count);
        durationNs = head.durationMs() > 0 ? head.durationMs() * NS_PER_MS : count * NS_PER_MS;
        id(DESCRIPTOR, symbols);
        for (int i = 0; i < tree.frames(); i++) {
            Frame frame = tree.frameAt(i);
            if (frame.kind() == FrameKind.THREAD) {
                threads++;
            } else {
                id(methodName(frame), symbols);
                id(className(frame), classes);
                id(className(frame), symbols);
            }
        }
    }

    /** Writes the profile, and leaves the stream open. */
    static void write(CallTree tree, FlameHead head, OutputStream out) throws IOException {
        JfrProfile profile = new JfrProfile(tree, head);
        profile.write(new JfrOutput(OutputStream.nullOutputStream()));
        JfrOutput to = new JfrOutput(new BufferedOutputStream(out));
        profile.write(to);
        to.flush();
    }

    private void write(JfrOutput out) throws IOException {
        out.writeInt(MAGIC);
        out.writeInt(2 << 16);
        out.writeLong(chunkBytes);
        out.writeLong(checkpointAt);
        out.writeLong(HEAD_BYTES);
        out.writeLong(head.timeMs() == 0 ? 0 : head.timeMs() * NS_PER_MS - durationNs);
        out.writeLong(durationNs);
        // the clock of the events begins with the chunk
        out.writeLong(0);
        out.writeLong(NS_PER_S);
        out.writeInt(COMPRESSED_NUMBERS);
        JfrTypes.write(out);
        events(out);
        int at = out.size();
        out.wide(chunkBytes - checkpointAt).number(JfrTypes.CHECKPOINT);
        // a time, a duration, the way to an earlier checkpoint, and what kind it is
        out.number(0).number(0).number(0).number(0);
        constants(out);
        checkpointAt = at;
        chunkBytes = out.size();
    }

    private void events(JfrOutput out) throws IOException {
        ByteArrayOutputStream held = new ByteArrayOutputStream();
        JfrOutput event = new JfrOutput(held);
        event.number(JfrTypes.PROFILE).number(0).number(durationNs);
        event.text(head.title()).text(head.note()).number(samplesPerEvent);
        out.wide(JfrOutput.WIDE + held.size());
        held.writeTo(out);
        int stride = stride(events.length);
        for (int i = 0; i < events.length; i++) {
            held.reset();
            int node = events[(int) ((long) i * stride % events.length)];
            sample(node, durationNs * i / events.length, event);
            out.number(1L + held.size());
            held.writeTo(out);
        }
    }

    private void sample(int node, long timeNs, JfrOutput event) throws IOException {
        boolean counted = head.measure().isCounted();
        event.number(counted ? JfrTypes.EXECUTION : JfrTypes.ALLOCATION).number(timeNs);
        event.number(thread(node)).number(node);
        if (counted) {
            event.number(head.measure() == Measure.CPU ? RUNNABLE : UNKNOWN);
            return;
        }
        Integer type = isType(node) ? classes.get(className(tree.frameAt(tree.frameOf(node)))) : null;
        event.number(type == null ? 0 : type).number(tree.self(node, CallTree.NOW));
    }

    /** Returns a step that meets all numbers below a count, and whose multiples lie apart. */
    private static int stride(int count) {
        int stride = (int) (count * GOLDEN) + 1;
        while (divisor(stride, count) > 1) {
            stride++;
        }
        return stride;
    }

    private static int divisor(int one, int other) {
        return other == 0 ? 1 : one % other == 0 ? other : divisor(other, one % other);
    }

    /** Returns the number of the thread at the root of a node's stack; 0 for none. */
    private int thread(int node) {
        int at = node;
        while (tree.parent(at) != CallTree.ROOT) {
            at = tree.parent(at);
        }
        return tree.frameAt(tree.frameOf(at)).kind() == FrameKind.THREAD ? tree.frameOf(at) + 1 : 0;
    }

    private boolean isType(int node) {
        return !head.measure().isCounted() && tree.frameAt(tree.frameOf(node)).kind() == FrameKind.TYPE;
    }

    private void constants(JfrOutput out) throws IOException {
        // readers refuse a pool without values
        out.number(3L + (threads > 0 ? 1 : 0) + (stacks > 0 ? 1 : 0) + (classes.isEmpty() ? 0 : 2));
        out.number(JfrTypes.FRAME_TYPE).number(FRAME_TYPES.length);
        for (int i = 0; i < FRAME_TYPES.length; i++) {
            out.number(i + 1L).text(FRAME_TYPES[i]);
        }
        out.number(JfrTypes.THREAD_STATE).number(2);
        out.number(RUNNABLE).text("STATE_RUNNABLE").number(UNKNOWN).text("STATE_DEFAULT");
        pool(JfrTypes.SYMBOL, symbols.size(), out);
        for (Map.Entry<String, Integer> each : symbols.entrySet()) {
            out.number(each.getValue()).text(each.getKey());
        }
        pool(JfrTypes.CLASS, classes.size(), out);
        for (Map.Entry<String, Integer> each : classes.entrySet()) {
            out.number(each.getValue()).number(0);
            out.number(id(each.getKey(), symbols)).number(0).number(0);
        }
        pool(JfrTypes.THREAD, threads, out);
        frames(true, out);
        pool(JfrTypes.METHOD, tree.frames() - threads, out);
        frames(false, out);
        pool(JfrTypes.STACK_TRACE, stacks, out);
        for (int node = CallTree.ROOT + 1; node < tree.nodes(); node++) {
            if (tree.self(node, CallTree.NOW) > 0) {
                stack(node, out);
            }
        }
    }

    private static void pool(int type, int count, JfrOutput out) throws IOException {
        if (count > 0) {
            out.number(type).number(count);
        }
    }

    private void frames(boolean ofThreads, JfrOutput out) throws IOException {
        for (int i = 0; i < tree.frames(); i++) {
            Frame frame = tree.frameAt(i);
            if ((frame.kind() == FrameKind.THREAD) != ofThreads) {
                continue;
            }
            out.number(i + 1L);
            if (ofThreads) {
                String name = frame.name().substring(1, frame.name().length() - 1);
                out.text(name).number(i + 1L).text(name).number(i + 1L);
            } else {
                out.number(id(className(frame), classes)).number(id(methodName(frame), symbols));
                out.number(id(DESCRIPTOR, symbols)).number(0).number(0);
            }
        }
    }

    private void stack(int node, JfrOutput out) throws IOException {
        int leaf = isType(node) ? tree.parent(node) : node;
        int depth = 0;
        for (int at = leaf; hasMethod(at); at = tree.parent(at)) {
            depth++;
        }
        out.number(node).number(0).number(depth);
        for (int at = leaf; hasMethod(at); at = tree.parent(at)) {
            int frame = tree.frameOf(at);
            out.number(frame + 1L).number(0).number(0);
            out.number(frameType(tree.frameAt(frame).kind()));
        }
    }

    private boolean hasMethod(int node) {
        return node != CallTree.ROOT && tree.frameAt(tree.frameOf(node)).kind() != FrameKind.THREAD;
    }

    private static String className(Frame frame) {
        return switch (frame.kind()) {
            case JAVA ->
                frame.name()
                        .substring(0, Math.max(0, frame.name().lastIndexOf('.')))
                        .replace('.', '/');
            case VM -> "VM";
            case KERNEL -> "kernel";
            case TYPE -> frame.name().replace('.', '/');
            default -> "native";
        };
    }

    private static String methodName(Frame frame) {
        return switch (frame.kind()) {
            case JAVA -> frame.name().substring(frame.name().lastIndexOf('.') + 1);
            case TYPE -> "[object]";
            default -> frame.name();
        };
    }

    /** Returns the number of a type of {@link #FRAME_TYPES}. */
    private static int frameType(FrameKind kind) {
        return switch (kind) {
            case VM -> 2;
            case NATIVE -> 3;
            case KERNEL -> 4;
            default -> 1;
        };
    }

    private static int id(String text, Map<String, Integer> ids) {
        Integer known = ids.putIfAbsent(text, ids.size() + 1);
        return known == null ? ids.size() : known;
    }
}

package io.remora.flame;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Stacks of samples, merged from the root on: a node per frame and caller. It has two columns of counts, so that two
 * profiles can share a tree.
 *
 * <p>Owner: one thread. Bounds: the nodes given, and {@value #MAX_FRAMES} different frames at most. A stack that needs more
 * ends at the last node that was found. Cost: 48 bytes a node, and about 200 bytes a frame.
 */
public final class CallTree implements Comparator<Integer> {
    /** Nodes of a profile in a running sidecar. */
    static final int MAX_NODES = 20_000;

    /** The column of a profile. */
    public static final int NOW = 0;
    /** The column of an earlier profile, to which the other is compared. */
    public static final int BEFORE = 1;

    /** The root, which has no frame. */
    static final int ROOT = 0;

    static final int NONE = -1;
    static final int MAX_FRAMES = 16_384;
    private static final Frame OTHER = new Frame("[other]", FrameKind.NATIVE);
    private static final int COLUMNS = 2;
    private static final int FIRST_NODES = 256;

    /** Bytes of the heap for each node of a profile, so that a full tree takes a tenth of the heap. */
    private static final int HEAP_PER_NODE = 1_024;

    /** Nodes for each frame. */
    private static final int NODES_PER_FRAME = 5;

    private final int maxNodes;
    private final int maxFrames;
    /** By kind: a map whose keys are frames would have the JDK put together the methods of the record. */
    private final Map<FrameKind, Map<String, Integer>> ids = new EnumMap<>(FrameKind.class);

    private final List<Frame> frames = new ArrayList<>();
    private int[] frameOf = new int[FIRST_NODES];
    private int[] parentOf = new int[FIRST_NODES];
    private int[] firstChild = new int[FIRST_NODES];
    private int[] nextSibling = new int[FIRST_NODES];
    private final long[][] self = new long[COLUMNS][FIRST_NODES];
    private final long[][] total = new long[COLUMNS][FIRST_NODES];
    private final long[] cut = new long[COLUMNS];
    /** By column. */
    private final String[] names = {"now", "before"};

    private int size;

    /** Makes an empty tree of at most this many nodes. */
    public CallTree(int maxNodes) {
        this(maxNodes, MAX_FRAMES);
    }

    private CallTree(int maxNodes, int maxFrames) {
        this.maxNodes = maxNodes;
        this.maxFrames = maxFrames;
        make(NONE, NONE);
    }

    /**
     * Returns an empty tree that takes a tenth of a heap at most.
     *
     * @param heapBytes size of the heap
     */
    public static CallTree within(long heapBytes) {
        int nodes = (int) Math.min(MAX_NODES, heapBytes / HEAP_PER_NODE);
        return new CallTree(nodes, nodes / NODES_PER_FRAME);
    }

    /** Names the columns by adverbs for graphs and lists, instead of "now" and "before". */
    public void nameColumns(String now, String before) {
        names[NOW] = now;
        names[BEFORE] = before;
    }

    String nameOf(int column) {
        return names[column];
    }

    /** Returns the number of a frame, or that of a frame for all others once there are too many. */
    public int frame(Frame frame) {
        Map<String, Integer> ofKind = ids.computeIfAbsent(frame.kind(), kind -> new HashMap<>());
        Integer known = ofKind.get(frame.name());
        if (known != null) {
            return known;
        }
        if (frames.size() >= maxFrames - 1 && !frame.name().equals(OTHER.name())) {
            return frame(OTHER);
        }
        int id = frames.size();
        frames.add(frame);
        ofKind.put(frame.name(), id);
        return id;
    }

    /**
     * Renames a frame, whose samples stay. Several frames may have the same name afterwards.
     *
     * @param frame number of the frame; the frame for all others keeps its name
     */
    public void rename(int frame, String name) {
        Frame old = frames.get(frame);
        Map<String, Integer> ofKind = ids.get(old.kind());
        if (ofKind == null || old.name().equals(OTHER.name())) {
            return;
        }
        ofKind.remove(old.name());
        ofKind.putIfAbsent(name, frame);
        frames.set(frame, Frame.of(name, old.kind()));
    }

    /**
     * Adds samples of one stack.
     *
     * @param path numbers of frames, the root's first
     */
    public void add(int[] path, int length, long count, int column) {
        credit(place(path, length), count, column);
    }

    /**
     * Returns the place of a stack in the tree, which {@link #credit} takes. Nothing is counted yet.
     *
     * @param path numbers of frames, the root's first
     */
    public int place(int[] path, int length) {
        int node = ROOT;
        for (int i = 0; i < length; i++) {
            int child = child(node, path[i]);
            if (child == NONE) {
                return ~node;
            }
            node = child;
        }
        return node;
    }

    /** Adds samples of the stack that has this place. */
    public void credit(int place, long count, int column) {
        int node = place < 0 ? ~place : place;
        cut[column] += place < 0 ? count : 0;
        self[column][node] += count;
        for (int at = node; at != NONE; at = parentOf[at]) {
            total[column][at] += count;
        }
    }

    private int child(int parent, int frame) {
        int last = NONE;
        for (int child = firstChild[parent]; child != NONE; child = nextSibling[child]) {
            if (frameOf[child] == frame) {
                return child;
            }
            last = child;
        }
        if (size == maxNodes) {
            return NONE;
        }
        int made = make(parent, frame);
        if (last == NONE) {
            firstChild[parent] = made;
        } else {
            nextSibling[last] = made;
        }
        return made;
    }

    private int make(int parent, int frame) {
        if (size == frameOf.length) {
            int room = Math.min(2 * size, Math.max(maxNodes, size + 1));
            frameOf = Arrays.copyOf(frameOf, room);
            parentOf = Arrays.copyOf(parentOf, room);
            firstChild = Arrays.copyOf(firstChild, room);
            nextSibling = Arrays.copyOf(nextSibling, room);
            for (int column = 0; column < COLUMNS; column++) {
                self[column] = Arrays.copyOf(self[column], room);
                total[column] = Arrays.copyOf(total[column], room);
            }
        }
        frameOf[size] = frame;
        parentOf[size] = parent;
        firstChild[size] = NONE;
        nextSibling[size] = NONE;
        return size++;
    }

    /** Returns the number of samples. */
    public long total(int column) {
        return total[column][ROOT];
    }

    /** Returns the number of samples whose stacks did not fit. */
    public long cut(int column) {
        return cut[column];
    }

    long total(int node, int column) {
        return total[column][node];
    }

    /** Returns the samples in which the node was the innermost frame. */
    long self(int node, int column) {
        return self[column][node];
    }

    /** Returns the number of nodes, whose numbers are all below it. */
    int nodes() {
        return size;
    }

    /** Returns the caller of a node; not of the root. */
    int parent(int node) {
        return parentOf[node];
    }

    /** Returns the number of the node's frame; not of the root. */
    int frameOf(int node) {
        return frameOf[node];
    }

    Frame frameAt(int number) {
        return frames.get(number);
    }

    int frames() {
        return frames.size();
    }

    /** Returns the children of a node, by name. */
    int[] children(int node) {
        int count = 0;
        for (int child = firstChild[node]; child != NONE; child = nextSibling[child]) {
            count++;
        }
        Integer[] sorted = new Integer[count];
        int at = 0;
        for (int child = firstChild[node]; child != NONE; child = nextSibling[child]) {
            sorted[at++] = child;
        }
        Arrays.sort(sorted, this);
        int[] children = new int[count];
        for (int i = 0; i < count; i++) {
            children[i] = sorted[i];
        }
        return children;
    }

    /** Compares two nodes by their frames. */
    @Override
    public int compare(Integer oneNode, Integer otherNode) {
        Frame one = frameAt(frameOf[oneNode]);
        Frame other = frameAt(frameOf[otherNode]);
        int byName = one.name().compareTo(other.name());
        return byName != 0 ? byName : one.kind().compareTo(other.kind());
    }
}

package io.remora.http2.hpack;

import io.remora.http.Fields;
import io.remora.http.Octets;

/**
 * A dynamic table of either side: the lines themselves, laid out as in a {@link FieldSection}, one behind the other in one
 * array, and their places in a ring of integers. New lines are written behind the others, which move to the front when
 * the end of the array is reached.
 *
 * <p>Owner: one connection. Cost: nothing while it is empty; arrays grow with the lines. Bounds: an array is no larger
 * than the table, as a line counts for 28 octets more than are kept of it; each move of the lines frees those of all
 * lines. Spec: RFC 7541 sections 2.3.2 and 4.
 */
final class DynamicTable {
    private static final int FIRST_OCTETS = 256;
    private static final int FIRST_LINES = 8;
    private static final int[] NO_LINES = new int[0];

    /** Integers of a line: its start, the lengths of its name and value, and its owner's note. */
    private static final int NAME = 1;

    private static final int VALUE = 2;
    private static final int NOTE = 3;
    private static final int INTS = 4;

    private byte[] octets = Octets.NONE;
    private int end;
    /** A ring, whose number of lines is a power of two. */
    private int[] lines = NO_LINES;

    private int oldest;
    private int count;
    /** The size as RFC 7541 4.1 counts it. */
    private int size;

    private int maxOctets;

    DynamicTable(int maxOctets) {
        this.maxOctets = maxOctets;
    }

    int maxOctets() {
        return maxOctets;
    }

    /** Changes the size that it may have, and evicts what is too much. */
    void resize(int octetsAllowed) {
        maxOctets = octetsAllowed;
        evict(octetsAllowed);
        if (octets.length > octetsAllowed) {
            move(count == 0 ? Octets.NONE : new byte[octetsAllowed]);
        }
    }

    int count() {
        return count;
    }

    byte[] octets() {
        return octets;
    }

    /** Returns where a line begins; the newest one has the index 0. */
    int start(int index) {
        return lines[place(index)];
    }

    int nameLength(int index) {
        return lines[place(index) + NAME];
    }

    int valueLength(int index) {
        return lines[place(index) + VALUE];
    }

    /** Returns what its owner has noted of a line. */
    int note(int index) {
        return lines[place(index) + NOTE];
    }

    /** Returns whether a line has this name, letter case aside. */
    boolean isNamed(int index, byte[] name, int from, int to) {
        int at = place(index);
        int length = lines[at + NAME];
        int start = lines[at];
        boolean same = length == to - from;
        for (int i = 0; same && i < length; i++) {
            same = Octets.toLower(name[from + i]) == octets[start + i];
        }
        return same;
    }

    private int place(int index) {
        return (oldest + count - 1 - index & lines.length / INTS - 1) * INTS;
    }

    /**
     * Adds a line, for which others go.
     *
     * @return where its owner writes it; negative for a line larger than the table, which empties it (RFC 7541 4.4)
     */
    int add(int nameLength, int valueLength, int note) {
        int cost = nameLength + valueLength + HpackDecoder.LINE_OCTETS;
        evict(maxOctets - cost);
        if (cost > maxOctets) {
            return -1;
        }
        int length = nameLength + valueLength + Fields.FRAME_OCTETS;
        if (octets.length - end < length) {
            makeRoom(length);
        }
        if (count * INTS == lines.length) {
            enlarge();
        }
        int start = end;
        count++;
        size += cost;
        end += length;
        int at = place(0);
        lines[at] = start;
        lines[at + NAME] = nameLength;
        lines[at + VALUE] = valueLength;
        lines[at + NOTE] = note;
        return start;
    }

    private void evict(int most) {
        while (count > 0 && size > most) {
            int at = place(count - 1);
            size -= lines[at + NAME] + lines[at + VALUE] + HpackDecoder.LINE_OCTETS;
            oldest = oldest + 1 & lines.length / INTS - 1;
            count--;
        }
    }

    private void makeRoom(int length) {
        int needed = end - front() + length;
        int room = octets.length;
        // never more than the table: all lines fit
        move(
                needed <= room / 2 || room >= maxOctets
                        ? octets
                        : new byte[Math.min(maxOctets, Math.max(FIRST_OCTETS, 2 * needed))]);
    }

    private int front() {
        return count == 0 ? end : start(count - 1);
    }

    private void move(byte[] into) {
        int from = front();
        System.arraycopy(octets, from, into, 0, end - from);
        for (int i = 0; i < count; i++) {
            lines[place(i)] -= from;
        }
        octets = into;
        end -= from;
    }

    private void enlarge() {
        int[] larger = new int[Math.max(FIRST_LINES * INTS, lines.length * 2)];
        for (int i = 0; i < count; i++) {
            System.arraycopy(lines, place(count - 1 - i), larger, i * INTS, INTS);
        }
        lines = larger;
        oldest = 0;
    }
}

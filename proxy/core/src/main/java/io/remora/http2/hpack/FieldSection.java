package io.remora.http2.hpack;

import io.remora.http.Fields;
import io.remora.http.Octets;
import java.util.Arrays;

/**
 * One header or trailer section as octets: its lines follow one another in the order in which they came, each as {@link
 * Fields} lays it out: name, colon, space, value, CR, LF. The lines are checked one by one, see {@link
 * LineFacts}; the section as a whole is not.
 *
 * <p>Owner: an event loop, whose connections share it. A codec decodes into it, has the section read, and clears it
 * before it decodes again. Bounds: the decoder's on the list; an array of more than 16 KiB does not outlive its section.
 */
public final class FieldSection {
    private static final int USUAL_OCTETS = 2 << 10;
    private static final int USUAL_LINES = 32;
    /** The largest array that is kept for the next section. */
    private static final int KEPT_OCTETS = 16 << 10;

    /** Places of a line: its start, the end of its name, the end of its value; then its facts. */
    private static final int NAME_END = 1;

    private static final int VALUE_END = 2;
    private static final int FACTS = 3;
    private static final int INTS = 4;

    private byte[] octets = new byte[USUAL_OCTETS];
    private int[] lines = new int[USUAL_LINES * INTS];
    private int used;
    private int end;
    /** Place for a copy of the block that is decoded. */
    private byte[] block = Octets.NONE;

    /** Creates a section without lines. */
    public FieldSection() {}

    /** Drops all lines, and arrays that are larger than usual. */
    public void clear() {
        used = 0;
        end = 0;
        if (octets.length > KEPT_OCTETS) {
            octets = new byte[USUAL_OCTETS];
        }
        if (lines.length > KEPT_OCTETS / Integer.BYTES) {
            lines = new int[USUAL_LINES * INTS];
        }
        if (block.length > KEPT_OCTETS) {
            block = Octets.NONE;
        }
    }

    /** Number of lines. */
    public int count() {
        return used / INTS;
    }

    /** Returns the array with names and values, which the next section overwrites. */
    public byte[] array() {
        return octets;
    }

    /** Returns where a line begins; it ends two octets behind its value. */
    public int nameStart(int index) {
        return lines[index * INTS];
    }

    public int nameEnd(int index) {
        return lines[index * INTS + NAME_END];
    }

    public int valueStart(int index) {
        return lines[index * INTS + NAME_END] + 2;
    }

    public int valueEnd(int index) {
        return lines[index * INTS + VALUE_END];
    }

    /** Returns the bits of {@link LineFacts}. */
    public int facts(int index) {
        return lines[index * INTS + FACTS];
    }

    // ---- for the decoder

    /** Returns an array for so many octets of a block. */
    byte[] block(int length) {
        if (block.length < length) {
            block = new byte[Math.max(length, USUAL_OCTETS)];
        }
        return block;
    }

    /** Returns where the next line begins. */
    int end() {
        return end;
    }

    /** Returns the array, with room for {@code more} octets from {@code at} on. */
    byte[] room(int at, int more) {
        if (octets.length - at < more) {
            octets = Arrays.copyOf(octets, Math.max(octets.length * 2, at + more));
        }
        return octets;
    }

    /** Adds the line whose octets have been written from {@link #end} on. */
    void add(int nameEnd, int valueEnd, int facts) {
        int at = used;
        if (at == lines.length) {
            lines = Arrays.copyOf(lines, at * 2);
        }
        lines[at] = end;
        lines[at + NAME_END] = nameEnd;
        lines[at + VALUE_END] = valueEnd;
        lines[at + FACTS] = facts;
        used = at + INTS;
        end = valueEnd + 2;
    }

    /** Adds a line that is laid out in {@code array} from {@code from} on. */
    void copy(byte[] array, int from, int nameLength, int valueLength, int facts) {
        int length = nameLength + valueLength + Fields.FRAME_OCTETS;
        System.arraycopy(array, from, room(end, length), end, length);
        add(end + nameLength, end + length - 2, facts);
    }
}

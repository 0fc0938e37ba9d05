package io.remora.http;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The field lines of a message, in order, as octets: received octets stay in place, and added ones go after them in the
 * same array.
 *
 * <p>Names are compared without regard to letter case, and go out in the letter case in which they came. A value is one
 * character an octet.
 *
 * <p>Owner: the exchange's event loop. Cost: one array of octets, one of offsets, and this object. One bit tells
 * whether a constant of {@link FieldName} is absent.
 */
public final class Fields {
    /** Places of a line: its start, the end of its name, the start and the end of its value; then its kind. */
    private static final int NAME_END = 1;

    private static final int VALUE = 2;
    private static final int VALUE_END = 3;
    private static final int KIND = 4;
    /** Integers a line. */
    private static final int INTS = 5;
    /** Bits of a kind that have the name's number. */
    private static final int ID = 31;
    /** Bit of a kind that marks a line whose octets in the array are ready to be written. */
    private static final int PLAIN = 32;
    /** Bit of a kind that marks a line which no table of HTTP/2 may have, on any connection (RFC 7541 6.2.3). */
    private static final int NEVER_INDEXED = 64;
    /** Octets of a line in addition to its name and value: colon, space, CR, LF. */
    public static final int FRAME_OCTETS = 4;

    private static final int OWN_LINES = 6;
    private static final int OWN_OCTETS = 192;

    private byte[] octets;
    /** Place for the next line of our own. */
    private int end;

    private int[] lines;
    /** Number of integers in use of {@link #lines}. */
    private int used;
    /** One bit for the number of each name that is there. */
    private int present;
    /** One bit for the number of each name that has been added while it was there. */
    private int repeated;
    /** True while the lines follow one another in the array, each as it goes out. */
    private boolean contiguous = true;
    /** True while {@link #lines} is the parser's. */
    private boolean lent;

    /** Creates fields without lines. */
    public Fields() {
        this(new byte[OWN_OCTETS], 0);
    }

    /** Returns fields without lines yet; the parser adds them by {@link #received}, and ends with {@link #seal}. */
    public static Fields received(int expectedLines) {
        return new Fields(Octets.NONE, expectedLines);
    }

    /**
     * Returns fields without lines yet, as {@link #received(int)} does.
     *
     * @param lent where the places of lines are put until {@link #own}, as many as fit
     */
    public static Fields receivedIn(int[] lent) {
        return new Fields(lent);
    }

    /** Returns an array for the places of so many lines, to be lent to {@link #receivedIn}. */
    public static int[] places(int count) {
        return new int[count * INTS];
    }

    /** Returns the same lines in arrays of their own. */
    public Fields copy() {
        Fields copy = new Fields(Arrays.copyOf(octets, end + OWN_OCTETS), 0);
        copy.lines = Arrays.copyOf(lines, used + OWN_LINES * INTS);
        copy.end = end;
        copy.used = used;
        copy.present = present;
        copy.repeated = repeated;
        copy.contiguous = contiguous;
        return copy;
    }

    private Fields(byte[] octets, int expectedLines) {
        this.octets = octets;
        this.lines = new int[(expectedLines + OWN_LINES) * INTS];
    }

    private Fields(int[] lent) {
        this.octets = Octets.NONE;
        this.lines = lent;
        this.lent = true;
    }

    // ---- for the parser

    /**
     * Adds a line that was received.
     *
     * @param array in which it stands, at the same places as in the one that {@link #seal} gets
     * @param start of its name, which is a token
     * @param value where the value begins, without white space around it
     * @param plain whether it stands there as it goes out: name, colon, space, value, CR, LF
     */
    public void received(byte[] array, int start, int nameEnd, int value, int valueEnd, boolean plain) {
        contiguous &= plain && (used == 0 || lines[used - INTS + VALUE_END] + 2 == start);
        put(start, nameEnd, value, valueEnd, FieldName.idOf(array, start, nameEnd) | (plain ? PLAIN : 0));
    }

    /** Marks the line that was added last as one that its sender wants no table of HTTP/2 to have. */
    public void neverIndex() {
        lines[used - INTS + KIND] |= NEVER_INDEXED;
    }

    /**
     * Continues the line that was added last: a space and the octets from {@code from} to {@code to}, somewhere after
     * it in {@code array}, become part of its value.
     *
     * @return whether there is a line with a value to go on
     */
    public boolean unfold(byte[] array, int from, int to) {
        int at = used - INTS;
        if (at < 0 || lines[at + VALUE] == lines[at + VALUE_END]) {
            return false;
        }
        contiguous = false;
        lines[at + KIND] &= ID;
        int behind = lines[at + VALUE_END];
        array[behind] = ' ';
        System.arraycopy(array, from, array, behind + 1, to - from);
        lines[at + VALUE_END] = behind + 1 + to - from;
        return true;
    }

    /** Takes the places of lines out of the array that was lent, and leaves room for {@code further} lines. */
    public void own(int further) {
        if (lent) {
            lent = false;
            lines = Arrays.copyOf(lines, used + further * INTS);
        }
    }

    /**
     * Ends the section, as all lines are there.
     *
     * @param array in which they stand; it belongs to this object from now on
     * @param behind the lines, where the array may be written over
     */
    public void seal(byte[] array, int behind) {
        octets = array;
        end = behind;
        contiguous &= used == 0 || lines[used - INTS + VALUE_END] + 2 == behind;
    }

    // ---- looking lines up

    public boolean isEmpty() {
        return used == 0;
    }

    /** Number of lines. */
    public int size() {
        return used / INTS;
    }

    public boolean contains(FieldName name) {
        return find(name, 0) >= 0;
    }

    /** Returns whether there are, or have been, several lines with this name, a constant of {@link FieldName}. */
    public boolean isRepeated(FieldName name) {
        return (repeated & 1 << name.id) != 0;
    }

    /** Returns whether a line with this name has this value. */
    public boolean contains(FieldName name, String value, boolean ignoreCase) {
        for (int at = find(name, 0); at >= 0; at = find(name, at + INTS)) {
            String candidate = valueAt(at);
            if (ignoreCase ? candidate.equalsIgnoreCase(value) : candidate.equals(value)) {
                return true;
            }
        }
        return false;
    }

    public boolean contains(String name, String value, boolean ignoreCase) {
        return contains(FieldName.of(name), value, ignoreCase);
    }

    /** The value of the first line with this name, null for none. */
    public @Nullable String get(FieldName name) {
        int at = find(name, 0);
        return at < 0 ? null : valueAt(at);
    }

    public @Nullable String get(String name) {
        return get(FieldName.of(name));
    }

    /** The values of all lines with this name, in order. */
    public List<String> getAll(FieldName name) {
        int at = find(name, 0);
        if (at < 0) {
            return List.of();
        }
        List<String> values = new ArrayList<>(2);
        for (; at >= 0; at = find(name, at + INTS)) {
            values.add(valueAt(at));
        }
        return values;
    }

    // ---- lines by their index, which holds until the next change

    /** The first line with this name from {@code from} on, -1 for none. */
    public int indexOf(FieldName name, int from) {
        int at = find(name, from * INTS);
        return at < 0 ? -1 : at / INTS;
    }

    public boolean isNamed(int index, FieldName name) {
        return isNamedAt(index * INTS, name);
    }

    public String name(int index) {
        return Octets.text(octets, nameStart(index), nameEnd(index));
    }

    public String value(int index) {
        return valueAt(index * INTS);
    }

    /** Returns the array with names and values. */
    public byte[] array() {
        return octets;
    }

    public int nameStart(int index) {
        return lines[index * INTS];
    }

    public int nameEnd(int index) {
        return lines[index * INTS + NAME_END];
    }

    public int valueStart(int index) {
        return lines[index * INTS + VALUE];
    }

    public int valueEnd(int index) {
        return lines[index * INTS + VALUE_END];
    }

    /** Returns whether the sender of a line wants no table of HTTP/2 to have it; an added one does not say so. */
    public boolean isNeverIndexed(int index) {
        return (lines[index * INTS + KIND] & NEVER_INDEXED) != 0;
    }

    private int find(FieldName name, int from) {
        if ((present & 1 << name.id) == 0) {
            return -1;
        }
        int at = from;
        while (at < used && !isNamedAt(at, name)) {
            at += INTS;
        }
        return at < used ? at : -1;
    }

    private boolean isNamedAt(int at, FieldName name) {
        return (lines[at + KIND] & ID) == name.id
                && (name.id != FieldName.UNKNOWN || name.is(octets, lines[at], lines[at + NAME_END]));
    }

    private String valueAt(int at) {
        return Octets.text(octets, lines[at + VALUE], lines[at + VALUE_END]);
    }

    // ---- changing lines

    /**
     * Adds a line behind all others.
     *
     * @throws IllegalArgumentException where the value would not stay one
     */
    public void add(FieldName name, String value) {
        int start = begin(name, value.length());
        write(value);
        put(start, name);
    }

    /** Bytes of the heap that its arrays take: of the octets, and of the places of the lines, which many short ones make the larger. */
    public int heapBytes() {
        return octets.length + Integer.BYTES * lines.length;
    }

    /** Adds a line behind all others, with the value's octets. */
    public void add(FieldName name, Octets value) {
        int start = begin(name, value.length());
        write(value.array, value.start, value.end);
        put(start, name);
    }

    /** Replaces the first line with this name, and takes the others out; adds a line where there is none. */
    public void set(FieldName name, String value) {
        int start = begin(name, value.length());
        write(value);
        replace(start, name);
    }

    /** Does the same as {@link #set(FieldName, String)}, with the value's octets. */
    public void set(FieldName name, Octets value) {
        int start = begin(name, value.length());
        write(value.array, value.start, value.end);
        replace(start, name);
    }

    /** Sets a line as {@link #set(FieldName, String)} does, unchecked: the caller writes digits and letters only. */
    public void setVouched(FieldName name, byte[] value, int length) {
        int start = begin(name, length);
        System.arraycopy(value, 0, octets, end, length);
        end += length;
        replace(start, name);
    }

    /** Makes one line of all with this name, a list of their values with {@code element} behind them. */
    public void append(FieldName name, Octets element) {
        int length = element.length();
        int never = 0;
        for (int at = find(name, 0); at >= 0; at = find(name, at + INTS)) {
            never |= lines[at + KIND] & NEVER_INDEXED;
            length += lines[at + VALUE_END] - lines[at + VALUE] + 2;
        }
        int start = begin(name, length);
        for (int at = find(name, 0); at >= 0; at = find(name, at + INTS)) {
            write(octets, lines[at + VALUE], lines[at + VALUE_END]);
            octets[end++] = ',';
            octets[end++] = ' ';
        }
        write(element.array, element.start, element.end);
        replace(start, name);
        if (never != 0) {
            lines[find(name, 0) + KIND] |= never;
        }
    }

    /** Takes all lines with this name out. */
    public void remove(FieldName name) {
        int at = find(name, 0);
        if (at >= 0) {
            removeFrom(at, name);
            present &= name.id == FieldName.UNKNOWN ? -1 : ~(1 << name.id);
        }
    }

    /** Takes all lines out whose name begins so, letter case aside; {@code lower} is in lower case. */
    public void removePrefixed(byte[] lower) {
        int kept = 0;
        present = 0;
        repeated = 0;
        for (int at = 0; at < used; at += INTS) {
            int prefixEnd = lines[at] + lower.length;
            if (prefixEnd > lines[at + NAME_END] || !Octets.equalsIgnoreCase(octets, lines[at], prefixEnd, lower)) {
                System.arraycopy(lines, at, lines, kept, INTS);
                kept += INTS;
                int bit = 1 << (lines[at + KIND] & ID);
                repeated |= present & bit;
                present |= bit;
            }
        }
        contiguous &= kept == used;
        used = kept;
    }

    /** Takes out all lines with this name; a text that is no token names none. */
    public void remove(String name) {
        if (FieldName.isName(name)) {
            remove(FieldName.of(name));
        }
    }

    private void removeFrom(int from, FieldName name) {
        int kept = from;
        for (int at = from; at < used; at += INTS) {
            if (!isNamedAt(at, name)) {
                System.arraycopy(lines, at, lines, kept, INTS);
                kept += INTS;
            }
        }
        contiguous &= kept == used;
        used = kept;
    }

    // makes room for a line, writes its name, and tells where it starts
    private int begin(FieldName name, int valueLength) {
        int start = end;
        int length = name.octets.length + FRAME_OCTETS + valueLength;
        if (start + length > octets.length) {
            byte[] larger = new byte[Math.max(octets.length * 2, start + length + OWN_OCTETS)];
            System.arraycopy(octets, 0, larger, 0, start);
            octets = larger;
        }
        System.arraycopy(name.octets, 0, octets, start, name.octets.length);
        end = start + name.octets.length;
        octets[end++] = ':';
        octets[end++] = ' ';
        return start;
    }

    private void write(String value) {
        byte[] into = octets;
        int at = end;
        int length = value.length();
        for (int i = 0; i < length; i++) {
            char character = value.charAt(i);
            if (character > 0xff || !isOfValue((byte) character)) {
                throw new IllegalArgumentException("not the value of a field: " + value);
            }
            into[at++] = (byte) character;
        }
        end = at;
    }

    private void write(byte[] array, int from, int to) {
        for (int i = from; i < to; i++) {
            if (!isOfValue(array[i])) {
                throw new IllegalArgumentException("not the value of a field: " + Octets.text(array, from, to));
            }
        }
        System.arraycopy(array, from, octets, end, to - from);
        end += to - from;
    }

    // RFC 9110 5.5: what would end the line, or the value in a parser that is written in C
    private static boolean isOfValue(byte octet) {
        return octet != '\r' && octet != '\n' && octet != 0;
    }

    // ends the line that begins at start, and puts it behind all others
    private void put(int start, FieldName name) {
        contiguous &= used == 0 || lines[used - INTS + VALUE_END] + 2 == start;
        int nameEnd = start + name.octets.length;
        put(start, nameEnd, nameEnd + 2, end, name.id | PLAIN);
        octets[end++] = '\r';
        octets[end++] = '\n';
    }

    private void put(int start, int nameEnd, int value, int valueEnd, int kind) {
        int at = used;
        if (at == lines.length) {
            int[] larger = new int[Math.max(at * 2, OWN_LINES * INTS)];
            System.arraycopy(lines, 0, larger, 0, at);
            lines = larger;
            lent = false;
        }
        lines[at] = start;
        lines[at + NAME_END] = nameEnd;
        lines[at + VALUE] = value;
        lines[at + VALUE_END] = valueEnd;
        lines[at + KIND] = kind;
        used = at + INTS;
        int bit = 1 << (kind & ID);
        repeated |= present & bit;
        present |= bit;
    }

    // ends the line that begins at start, and replaces the first with its name
    private void replace(int start, FieldName name) {
        int at = find(name, 0);
        int before = repeated;
        put(start, name);
        if (at >= 0) {
            repeated = before;
            used -= INTS;
            System.arraycopy(lines, used, lines, at, INTS);
            contiguous = false;
            removeFrom(at + INTS, name);
        }
    }

    // ---- writing lines out

    /** Octets of all lines as {@link #writeTo} writes them. */
    public int length() {
        if (contiguous) {
            return used == 0 ? 0 : lines[used - INTS + VALUE_END] + 2 - lines[0];
        }
        int length = 0;
        for (int at = 0; at < used; at += INTS) {
            length += lines[at + NAME_END] - lines[at] + lines[at + VALUE_END] - lines[at + VALUE] + FRAME_OCTETS;
        }
        return length;
    }

    /**
     * Writes the lines, each with its CR LF, runs of unchanged ones at once.
     *
     * @param target with room for {@link #length} octets from {@code at} on
     * @return where the next octet goes
     */
    public int writeTo(byte[] target, int at) {
        int to = at;
        int line = 0;
        while (line < used) {
            int start = lines[line];
            int behind = start;
            while (line < used && lines[line] == behind && (lines[line + KIND] & PLAIN) != 0) {
                behind = lines[line + VALUE_END] + 2;
                line += INTS;
            }
            if (behind > start) {
                System.arraycopy(octets, start, target, to, behind - start);
                to += behind - start;
            } else {
                to = writeLine(line, target, to);
                line += INTS;
            }
        }
        return to;
    }

    private int writeLine(int line, byte[] target, int at) {
        int name = lines[line + NAME_END] - lines[line];
        int value = lines[line + VALUE_END] - lines[line + VALUE];
        System.arraycopy(octets, lines[line], target, at, name);
        int to = at + name;
        target[to++] = ':';
        target[to++] = ' ';
        System.arraycopy(octets, lines[line + VALUE], target, to, value);
        to += value;
        target[to++] = '\r';
        target[to++] = '\n';
        return to;
    }
}

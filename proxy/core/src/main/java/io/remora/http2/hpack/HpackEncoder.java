package io.remora.http2.hpack;

import io.netty.util.AsciiString;
import io.remora.http.Octets;
import java.util.Arrays;
import java.util.List;

/**
 * The encoder of a connection's header blocks, with its dynamic table. A line enters the table when it is written for
 * the second time within a while, so that what no message repeats, such as an id, displaces nothing.
 *
 * <p>Secrets are never indexed, here or further on: no length may tell of them (RFC 7541 7.1).
 *
 * <p>If it is made without a table, it writes each string as it is. Huffman coding of whole heads costs more CPU than it
 * saves.
 *
 * <p>Owner: one connection. Cost: the table's octets, as they are used, and {@link #SLOTS} integers. Bounds: the table is
 * as large as both {@code maxTableOctets} and the peer allow. Spec: RFC 7541.
 */
public final class HpackEncoder {
    /** The size of a table until SETTINGS say otherwise. */
    private static final int DEFAULT_OCTETS = 4_096;

    private static final int SLOTS = 32;
    private static final int[] NO_SLOTS = new int[0];

    // ---- representations (RFC 7541 6)

    private static final int INDEXED = 0x80;
    private static final int KEPT = 0x40;
    private static final int RESIZE = 0x20;
    private static final int NEVER = 0x10;
    private static final int HUFFMAN = 0x80;

    private final int maxTableOctets;
    private final DynamicTable table;
    /** Further names that are secret, in lower case. */
    private final List<String> secrets;
    /** Hashes of lines that have been written and are not in the table. */
    private int[] seen = NO_SLOTS;
    /** The size that the peer knows. */
    private int peerOctets = DEFAULT_OCTETS;
    /** The smallest size since then. */
    private int least;

    /**
     * @param maxTableOctets that the table may take; 0 keeps nothing of a section, and uses no Huffman coding
     */
    public HpackEncoder(int maxTableOctets) {
        this(maxTableOctets, List.of());
    }

    /**
     * @param maxTableOctets that the table may take; 0 keeps nothing of a section, and uses no Huffman coding
     * @param secrets names in lower case that are never indexed, in addition to those that never are
     */
    public HpackEncoder(int maxTableOctets, List<String> secrets) {
        this.secrets = secrets;
        this.maxTableOctets = maxTableOctets;
        this.table = new DynamicTable(Math.min(maxTableOctets, DEFAULT_OCTETS));
        this.least = table.maxOctets();
    }

    /** Takes the size of the peer's SETTINGS_HEADER_TABLE_SIZE over. */
    public void peerTableOctets(long octets) {
        int size = (int) Math.min(octets, maxTableOctets);
        table.resize(size);
        least = Math.min(least, size);
    }

    /** Begins a block: what has become of the table's size since the last one stands before all lines. */
    public void begin(HeaderBlock out) {
        int size = table.maxOctets();
        if (least < size && least < peerOctets) {
            integer(out, RESIZE, 0x1f, least);
            peerOctets = least;
        }
        if (size != peerOctets) {
            integer(out, RESIZE, 0x1f, size);
            peerOctets = size;
        }
        least = size;
    }

    /**
     * Writes a line.
     *
     * @param name in any letter case; it is written in lower case
     * @param never whether no table may ever have it, beyond the names that are secret
     */
    public void line(HeaderBlock out, AsciiString name, AsciiString value, boolean never) {
        int from = name.arrayOffset();
        int start = value.arrayOffset();
        line(out, name.array(), from, from + name.length(), value.array(), start, start + value.length(), never);
    }

    /** Writes a line whose name and value stand in arrays, which are not kept. */
    public void line(
            HeaderBlock out, byte[] name, int from, int to, byte[] value, int start, int behind, boolean never) {
        int index = StaticTable.find(name, from, to);
        if (never || StaticTable.isSecret(index) || isSecret(name, from, to)) {
            name(out, NEVER, 0x0f, index, name, from, to);
            string(out, value, start, behind, false);
            return;
        }
        boolean fits = to - from + behind - start + HpackDecoder.LINE_OCTETS <= table.maxOctets();
        int hash = fits ? hash(name, from, to, value, start, behind) : 0;
        int whole = StaticTable.withValue(index, value, start, behind);
        if (whole == 0 && fits) {
            whole = find(hash, name, from, to, value, start, behind);
        }
        if (whole > 0) {
            integer(out, INDEXED, 0x7f, whole);
            return;
        }
        boolean kept = fits && isRepeated(hash);
        int known = index > 0 ? index : named(name, from, to);
        name(out, kept ? KEPT : 0, kept ? 0x3f : 0x0f, known, name, from, to);
        string(out, value, start, behind, false);
        if (kept) {
            keep(hash, name, from, to, value, start, behind);
        }
    }

    private boolean isSecret(byte[] name, int from, int to) {
        for (int i = 0; i < secrets.size(); i++) {
            String secret = secrets.get(i);
            int at = secret.length() == to - from ? 0 : -1;
            while (at >= 0 && at < secret.length()) {
                at = Octets.toLower(name[from + at]) == secret.charAt(at) ? at + 1 : -1;
            }
            if (at >= 0) {
                return true;
            }
        }
        return false;
    }

    // ---- the table

    // of few octets: equal lines have the same, and others mostly do not
    private static int hash(byte[] name, int from, int to, byte[] value, int start, int behind) {
        int hash = to - from + 31 * (behind - start);
        for (int i = Math.max(from, to - 8); i < to; i++) {
            hash = 31 * hash + Octets.toLower(name[i]);
        }
        for (int i = Math.max(start, behind - 16); i < behind; i++) {
            hash = 31 * hash + value[i];
        }
        return hash;
    }

    private boolean isRepeated(int hash) {
        if (seen.length == 0) {
            seen = new int[SLOTS];
        }
        int slot = (hash ^ hash >>> 5 ^ hash >>> 15) & SLOTS - 1;
        boolean repeated = seen[slot] == hash;
        seen[slot] = hash;
        return repeated;
    }

    /** Returns the index of a line of the table, 0 for none. */
    private int find(int hash, byte[] name, int from, int to, byte[] value, int start, int behind) {
        for (int i = 0; i < table.count(); i++) {
            if (table.note(i) == hash && table.isNamed(i, name, from, to)) {
                int place = table.start(i) + to - from + 2;
                int placeBehind = place + table.valueLength(i);
                if (Arrays.equals(table.octets(), place, placeBehind, value, start, behind)) {
                    return StaticTable.LENGTH + 1 + i;
                }
            }
        }
        return 0;
    }

    /** Returns the index of a line with this name, 0 for none. */
    private int named(byte[] name, int from, int to) {
        for (int i = 0; i < table.count(); i++) {
            if (table.isNamed(i, name, from, to)) {
                return StaticTable.LENGTH + 1 + i;
            }
        }
        return 0;
    }

    private void keep(int hash, byte[] name, int from, int to, byte[] value, int start, int behind) {
        int place = table.add(to - from, behind - start, hash);
        byte[] octets = table.octets();
        for (int i = from; i < to; i++) {
            octets[place + i - from] = Octets.toLower(name[i]);
        }
        System.arraycopy(value, start, octets, place + to - from + 2, behind - start);
    }

    // ---- writing

    private void name(HeaderBlock out, int kind, int prefix, int index, byte[] name, int from, int to) {
        integer(out, kind, prefix, index);
        if (index == 0) {
            string(out, name, from, to, true);
        }
    }

    private void string(HeaderBlock out, byte[] array, int from, int to, boolean lower) {
        int length = maxTableOctets == 0 ? to - from : Huffman.length(array, from, to, lower);
        if (length < to - from) {
            integer(out, HUFFMAN, 0x7f, length);
            Huffman.encode(out, array, from, to, lower);
            return;
        }
        integer(out, 0, 0x7f, to - from);
        byte[] octets = out.octets;
        int start = out.length;
        if (lower) {
            for (int i = from; i < to; i++) {
                octets[start + i - from] = Octets.toLower(array[i]);
            }
        } else {
            System.arraycopy(array, from, octets, start, to - from);
        }
        out.length = start + to - from;
    }

    // RFC 7541 5.1
    private static void integer(HeaderBlock out, int kind, int prefix, int value) {
        if (value < prefix) {
            out.write(kind | value);
            return;
        }
        out.write(kind | prefix);
        int left = value - prefix;
        while (left > 0x7f) {
            out.write(left & 0x7f | 0x80);
            left >>>= 7;
        }
        out.write(left);
    }
}

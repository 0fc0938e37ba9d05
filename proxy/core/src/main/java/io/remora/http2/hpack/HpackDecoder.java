package io.remora.http2.hpack;

import io.netty.buffer.ByteBuf;
import io.remora.http.Fields;
import io.remora.http.Octets;
import org.jspecify.annotations.Nullable;

/**
 * The decoder of a connection's header blocks, with its dynamic table.
 *
 * <p>Owner: one connection. Cost: the table grows with what the peer puts into it; no object for a line. Bounds: the
 * table's octets and the list's; copies of {@link #MOST_EXCESS} octets beyond the list's bound; integers of five octets
 * beyond the first. Spec: RFC 7541; a third change of the table's
 * size in one block is refused, of which section 4.2 allows two.
 */
public final class HpackDecoder {
    /** Reasons to refuse a block. */
    public enum Fault {
        /** The block is no HPACK, and the table can no longer be trusted: COMPRESSION_ERROR for the connection. */
        COMPRESSION,
        /**
         * The list is larger than it may be, and keeping the table in step costs more than its block is worth:
         * ENHANCE_YOUR_CALM for the connection.
         */
        EXCESSIVE,
        /** The list is larger than it may be. The table is in step, so that only the stream fails. */
        TOO_LARGE
    }

    /** The cost of a line beyond its octets, in a list as in a table (RFC 9113 6.5.2, RFC 7541 4.1). */
    static final int LINE_OCTETS = 32;

    /**
     * Octets of names that are copied from the tables once the list is too large. A literal of two octets may name a
     * line of the whole table, again and again.
     */
    static final int MOST_EXCESS = 256 << 10;

    private static final int MOST_UPDATES = 2;
    /** The largest shift of an integer's octet. */
    private static final int LAST_SHIFT = 28;

    private final int maxTableOctets;
    private final int maxListOctets;
    private final DynamicTable table;

    // of the block that is decoded
    private byte[] in = Octets.NONE;
    private int at;
    private int end;
    private int listOctets;
    private int excess;

    /**
     * @param maxTableOctets that our SETTINGS allow the peer's table, 4,096 where they are silent
     * @param maxListOctets of a section, as RFC 9113 6.5.2 counts them
     */
    public HpackDecoder(int maxTableOctets, int maxListOctets) {
        this.maxTableOctets = maxTableOctets;
        this.maxListOctets = maxListOctets;
        this.table = new DynamicTable(maxTableOctets);
    }

    /**
     * Decodes a whole block, the octets of {@code block} from {@code from} to {@code to}.
     *
     * @param into cleared first; its lines mean nothing where there is a fault
     * @return null for none
     */
    public @Nullable Fault decode(ByteBuf block, int from, int to, FieldSection into) {
        into.clear();
        if (block.hasArray()) {
            in = block.array();
            at = block.arrayOffset() + from;
        } else {
            in = into.block(to - from);
            at = 0;
            block.getBytes(from, in, 0, to - from);
        }
        end = at + to - from;
        listOctets = 0;
        excess = 0;
        boolean whole = decode(into);
        in = Octets.NONE;
        if (excess > MOST_EXCESS) {
            return Fault.EXCESSIVE;
        }
        return !whole ? Fault.COMPRESSION : listOctets > maxListOctets ? Fault.TOO_LARGE : null;
    }

    private boolean decode(FieldSection into) {
        int updates = 0;
        boolean valid = true;
        while (valid && at < end) {
            int first = in[at];
            if ((first & 0xe0) == 0x20) {
                updates++;
                valid = updates <= MOST_UPDATES && resize(integer(0x1f));
            } else {
                // none comes after the first line
                updates = MOST_UPDATES;
                valid = first < 0 ? indexed(integer(0x7f), into) : literal(first, into);
            }
        }
        return valid;
    }

    private boolean resize(int octets) {
        boolean valid = octets >= 0 && octets <= maxTableOctets;
        if (valid) {
            table.resize(octets);
        }
        return valid;
    }

    private boolean indexed(int index, FieldSection into) {
        int own = index - StaticTable.LENGTH - 1;
        if (index <= 0 || own >= table.count()) {
            return false;
        }
        boolean isStatic = own < 0;
        int name = isStatic ? StaticTable.nameLength(index) : table.nameLength(own);
        int value = isStatic ? StaticTable.valueLength(index) : table.valueLength(own);
        if (fits(name + value)) {
            if (isStatic) {
                into.copy(StaticTable.OCTETS, StaticTable.start(index), name, value, StaticTable.facts(index));
            } else {
                into.copy(table.octets(), table.start(own), name, value, table.note(own));
            }
        }
        return true;
    }

    /** Counts a line; false where the list has become too large, now or before. */
    private boolean fits(int octets) {
        if (listOctets <= maxListOctets) {
            // a line is shorter than 2^30
            listOctets = (int) Math.min(Integer.MAX_VALUE, (long) listOctets + octets + LINE_OCTETS);
        }
        return listOctets <= maxListOctets;
    }

    private boolean literal(int first, FieldSection into) {
        boolean kept = (first & 0x40) != 0;
        int index = integer(kept ? 0x3f : 0x0f);
        int start = into.end();
        int nameEnd;
        int facts;
        if (index == 0) {
            nameEnd = string(into, start);
            if (nameEnd < 0) {
                return false;
            }
            facts = LineFacts.ofName(into.array(), start, nameEnd);
        } else {
            nameEnd = name(index, into, start);
            if (nameEnd < 0) {
                return false;
            }
            int own = index - StaticTable.LENGTH - 1;
            facts = (own < 0 ? StaticTable.facts(index) : table.note(own)) & LineFacts.OF_NAME;
        }
        int value = nameEnd + 2;
        int valueEnd = string(into, value);
        if (valueEnd < 0) {
            return false;
        }
        byte[] array = into.room(valueEnd, 2);
        array[nameEnd] = ':';
        array[nameEnd + 1] = ' ';
        array[valueEnd] = '\r';
        array[valueEnd + 1] = '\n';
        facts |= LineFacts.ofValue(array, value, valueEnd);
        facts |= !kept && (first & 0x10) != 0 ? LineFacts.NEVER_INDEXED : 0;
        if (kept) {
            keep(array, start, nameEnd - start, valueEnd - value, facts);
        }
        if (fits(nameEnd - start + valueEnd - value)) {
            into.add(nameEnd, valueEnd, facts);
        }
        return true;
    }

    private void keep(byte[] array, int start, int nameLength, int valueLength, int facts) {
        int place = table.add(nameLength, valueLength, facts);
        if (place >= 0) {
            System.arraycopy(array, start, table.octets(), place, nameLength + valueLength + Fields.FRAME_OCTETS);
        }
    }

    // writes the name of a table's line, and returns where it ends; negative for no such line, or for one too many
    private int name(int index, FieldSection into, int start) {
        int own = index - StaticTable.LENGTH - 1;
        if (index < 0 || own >= table.count()) {
            return -1;
        }
        boolean isStatic = own < 0;
        int length = isStatic ? StaticTable.nameLength(index) : table.nameLength(own);
        excess += listOctets > maxListOctets ? length : 0;
        if (excess > MOST_EXCESS) {
            return -1;
        }
        byte[] from = isStatic ? StaticTable.OCTETS : table.octets();
        int place = isStatic ? StaticTable.start(index) : table.start(own);
        System.arraycopy(from, place, into.room(start, length), start, length);
        return start + length;
    }

    // writes a string, and returns where it ends; negative where it is none
    private int string(FieldSection into, int place) {
        boolean huffman = at < end && in[at] < 0;
        int length = at < end ? integer(0x7f) : -1;
        if (length < 0 || length > end - at) {
            return -1;
        }
        int from = at;
        at += length;
        if (huffman) {
            return Huffman.decode(in, from, at, into.room(place, Huffman.mostOctets(length)), place);
        }
        System.arraycopy(in, from, into.room(place, length), place, length);
        return place + length;
    }

    // RFC 7541 5.1; negative where it is cut, or larger or longer than any that can be valid
    private int integer(int prefix) {
        int value = in[at++] & prefix;
        if (value < prefix) {
            return value;
        }
        long sum = value;
        for (int shift = 0; shift <= LAST_SHIFT && at < end; shift += 7) {
            byte octet = in[at++];
            sum += (octet & 0x7fL) << shift;
            if (octet >= 0) {
                return sum > Integer.MAX_VALUE ? -1 : (int) sum;
            }
        }
        return -1;
    }
}

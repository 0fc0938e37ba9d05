package io.remora.http2;

import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.http2.hpack.FieldSection;
import io.remora.http2.hpack.LineFacts;

/**
 * Copies lines of a section into {@link Fields}, which lay them out alike, one after the other in one array.
 *
 * <p>Owner: the reader of one section.
 */
final class RequestFields {
    private final FieldSection section;
    private final byte[] array;
    private final Fields fields;
    private int end;

    /**
     * @param array with room for all that is added
     */
    RequestFields(FieldSection section, byte[] array, int expectedLines) {
        this.section = section;
        this.array = array;
        this.fields = Fields.received(expectedLines + 1);
    }

    /** Copies the value of a line, before all lines are added. */
    Octets value(int line) {
        int start = end;
        write(section.array(), section.valueStart(line), section.valueEnd(line));
        return new Octets(array, start, end);
    }

    /** Adds a line of the section. */
    void add(int line) {
        int from = section.nameStart(line);
        int start = end;
        int moved = start - from;
        write(section.array(), from, section.valueEnd(line) + 2);
        fields.received(array, start, section.nameEnd(line) + moved, section.valueStart(line) + moved, end - 2, true);
        mark(line);
    }

    /** Adds a line with another name and the value of one of the section; returns the value. */
    Octets add(byte[] name, int line) {
        int start = begin(name);
        int from = end;
        write(section.array(), section.valueStart(line), section.valueEnd(line));
        Octets value = take(start, name, from);
        mark(line);
        return value;
    }

    private void mark(int line) {
        if ((section.facts(line) & LineFacts.NEVER_INDEXED) != 0) {
            fields.neverIndex();
        }
    }

    /** Adds one line of all {@code count} ones that are cookies (RFC 9113 8.2.3). */
    void addCookies(byte[] name, int count) {
        int start = begin(name);
        int from = end;
        int left = count;
        for (int i = 0; left > 0; i++) {
            if ((section.facts(i) & LineFacts.NAME) == LineFacts.COOKIE) {
                write(section.array(), section.valueStart(i), section.valueEnd(i));
                if (--left > 0) {
                    array[end++] = ';';
                    array[end++] = ' ';
                }
            }
        }
        take(start, name, from);
    }

    private int begin(byte[] name) {
        int start = end;
        write(name, 0, name.length);
        array[end++] = ':';
        array[end++] = ' ';
        return start;
    }

    private void write(byte[] octets, int from, int to) {
        System.arraycopy(octets, from, array, end, to - from);
        end += to - from;
    }

    private Octets take(int start, byte[] name, int from) {
        fields.received(array, start, start + name.length, from, end, true);
        Octets value = new Octets(array, from, end);
        array[end++] = '\r';
        array[end++] = '\n';
        return value;
    }

    Fields seal() {
        fields.seal(array, end);
        return fields;
    }
}

package io.remora.http2;

import io.netty.util.AsciiString;
import io.remora.http.Fields;

/**
 * Lays field lines out as {@link Fields} have them, one after the other in one array.
 *
 * <p>Owner: the reader of one section.
 */
final class RequestFields {
    private final byte[] array;
    private final Fields fields;
    private int end;

    /**
     * @param array with room for all that is added
     */
    RequestFields(byte[] array, int expectedLines) {
        this.array = array;
        this.fields = Fields.received(expectedLines + 1);
    }

    void add(AsciiString name, AsciiString value) {
        int start = begin(name);
        int from = end;
        write(value);
        take(start, name, from);
    }

    /** One line of all that have this name (RFC 9113 8.2.3). */
    void addJoined(AsciiString name, SectionLines lines, int count) {
        int start = begin(name);
        int from = end;
        int left = count;
        for (int i = 0; i < lines.count() && left > 0; i++) {
            if (lines.name(i).equals(name)) {
                write(lines.value(i));
                if (--left > 0) {
                    array[end++] = ';';
                    array[end++] = ' ';
                }
            }
        }
        take(start, name, from);
    }

    private int begin(AsciiString name) {
        int start = end;
        write(name);
        array[end++] = ':';
        array[end++] = ' ';
        return start;
    }

    private void write(AsciiString text) {
        System.arraycopy(text.array(), text.arrayOffset(), array, end, text.length());
        end += text.length();
    }

    private void take(int start, AsciiString name, int from) {
        fields.received(array, start, start + name.length(), from, end, true);
        array[end++] = '\r';
        array[end++] = '\n';
    }

    Fields seal() {
        fields.seal(array, end);
        return fields;
    }
}

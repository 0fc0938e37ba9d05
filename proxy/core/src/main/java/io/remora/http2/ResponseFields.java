package io.remora.http2;

import io.netty.util.AsciiString;
import io.remora.http.BodyLength;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.http.ResponseHead;
import io.remora.http.Rule;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The field section of a response, judged and turned into fields: a head's, or the trailers'.
 *
 * <p>Owner: an event loop, whose connections share it; what it tells holds until the next section. Bounds: the cluster's {@code
 * header-block}. Spec: RFC 9113 sections 8.1.1, 8.2 and 8.3.2.
 */
final class ResponseFields {
    private static final int SWITCHING_PROTOCOLS = 101;
    private static final int STATUS_DIGITS = 3;
    /** Octets of a line of HTTP/1, as fields keep it: colon, space, CR, LF. */
    private static final int FRAME = 4;

    private static final int USUAL_LINE = 40;
    private static final AsciiString STATUS = AsciiString.of(":status");

    private final int maxOctets;
    private int status;
    private byte[] octets = Octets.NONE;
    private int end;
    /** Octets of names and values so far. */
    private int length;

    private Rule rule = Rule.FRAMES;

    /**
     * @param maxOctets of all names and values together
     */
    ResponseFields(int maxOctets) {
        this.maxOctets = maxOctets;
    }

    /** Status of the head that was read last. */
    int status() {
        return status;
    }

    /** The rule that the section that was read last breaks, where it is malformed. */
    Rule rule() {
        return rule;
    }

    /** Null where the section is malformed. */
    @Nullable
    Fields head(SectionCursor lines) {
        status = 0;
        Fields fields = read(lines, false);
        if (fields == null) {
            return null;
        }
        rule = status == SWITCHING_PROTOCOLS ? Rule.SWITCH : status < 100 ? Rule.STATUS : Rule.LENGTH;
        boolean valid = status >= 100 && status != SWITCHING_PROTOCOLS && readLength(fields);
        return valid ? fields : null;
    }

    /** Reads trailers; null where the section is malformed. */
    @Nullable
    Fields trailers(SectionCursor lines) {
        return read(lines, true);
    }

    /**
     * Octets of the content that the head announces, or {@link BodyLength#UNKNOWN}; {@link BodyLength#NONE} where there is none to
     * come.
     *
     * @param toHead whether the request was a HEAD
     * @param ended whether the head is all there is
     */
    static long bodyLength(int status, Fields fields, boolean toHead, boolean ended) {
        if (ended || toHead || ResponseHead.neverHasBody(status)) {
            return BodyLength.NONE;
        }
        return announced(fields);
    }

    /** Returns the value of Content-Length, {@link BodyLength#UNKNOWN} where there is none. */
    static long announced(Fields fields) {
        int line = fields.indexOf(FieldName.CONTENT_LENGTH, 0);
        return line < 0
                ? BodyLength.UNKNOWN
                : Octets.decimal(fields.array(), fields.valueStart(line), fields.valueEnd(line));
    }

    private static boolean readLength(Fields fields) {
        if (!fields.contains(FieldName.CONTENT_LENGTH)) {
            return true;
        }
        long announced = fields.isRepeated(FieldName.CONTENT_LENGTH) ? -1 : announced(fields);
        if (announced >= 0 && hasZerosInFront(fields)) {
            // to some they mean octal
            fields.set(FieldName.CONTENT_LENGTH, Long.toString(announced));
        }
        return announced >= 0;
    }

    private static boolean hasZerosInFront(Fields fields) {
        int line = fields.indexOf(FieldName.CONTENT_LENGTH, 0);
        int start = fields.valueStart(line);
        return fields.array()[start] == '0' && fields.valueEnd(line) - start > 1;
    }

    private @Nullable Fields read(SectionCursor lines, boolean trailers) {
        Fields fields = Fields.received(lines.size());
        octets = new byte[lines.size() * USUAL_LINE];
        end = 0;
        length = 0;
        boolean valid = lines.size() <= ResponseHead.MAX_FIELDS;
        rule = Rule.TOO_MANY_FIELDS;
        while (valid && lines.next()) {
            AsciiString name = lines.name();
            AsciiString value = lines.value();
            length += name.length() + value.length();
            rule = length > maxOctets ? Rule.FIELDS_TOO_LARGE : Rule.FIELD_NAME;
            valid = length <= maxOctets && !name.isEmpty() && take(fields, name, value, trailers);
        }
        byte[] read = octets;
        octets = Octets.NONE;
        fields.seal(read, end);
        return valid ? fields : null;
    }

    private boolean take(Fields fields, AsciiString name, AsciiString value, boolean trailers) {
        if (name.byteAt(0) == ':') {
            rule = name.equals(STATUS) && fields.isEmpty() && !trailers ? Rule.STATUS : Rule.PSEUDO_FIELD;
            // before all other fields, and once
            return !trailers && status == 0 && fields.isEmpty() && name.equals(STATUS) && readStatus(value);
        }
        int start = end;
        makeRoom(name.length() + value.length() + FRAME);
        int nameEnd = put(name, start);
        octets[nameEnd] = ':';
        octets[nameEnd + 1] = ' ';
        int valueEnd = put(value, nameEnd + 2);
        octets[valueEnd] = '\r';
        octets[valueEnd + 1] = '\n';
        end = valueEnd + 2;
        boolean named = isName(start, nameEnd);
        if (!named || !isValue(nameEnd + 2, valueEnd)) {
            rule = named
                    ? Rule.FIELD_VALUE
                    : ConnectionFields.contain(octets, start, nameEnd) ? Rule.CONNECTION_FIELD : Rule.FIELD_NAME;
            return false;
        }
        fields.received(octets, start, nameEnd, nameEnd + 2, valueEnd, true);
        return true;
    }

    private boolean readStatus(AsciiString value) {
        long code = value.length() == STATUS_DIGITS
                ? Octets.decimal(value.array(), value.arrayOffset(), value.arrayOffset() + STATUS_DIGITS)
                : -1;
        status = (int) code;
        return code >= 0;
    }

    private void makeRoom(int more) {
        if (end + more > octets.length) {
            octets = Arrays.copyOf(octets, Math.max(octets.length * 2, end + more));
        }
    }

    private int put(AsciiString text, int at) {
        System.arraycopy(text.array(), text.arrayOffset(), octets, at, text.length());
        return at + text.length();
    }

    private boolean isName(int from, int to) {
        for (int i = from; i < to; i++) {
            if (octets[i] >= 'A' && octets[i] <= 'Z') {
                return false;
            }
        }
        return Octets.endOfToken(octets, from, to) == to && !ConnectionFields.contain(octets, from, to);
    }

    // RFC 9113 8.2.1, and what RFC 9110 5.5 has beyond it: no control character but HTAB, and none of that at the ends
    private boolean isValue(int from, int to) {
        if (from < to && (Octets.isBlank(octets[from]) || Octets.isBlank(octets[to - 1]))) {
            return false;
        }
        for (int i = from; i < to; i++) {
            byte octet = octets[i];
            if (octet >= 0 && octet < ' ' && octet != '\t' || octet == 0x7f) {
                return false;
            }
        }
        return true;
    }
}

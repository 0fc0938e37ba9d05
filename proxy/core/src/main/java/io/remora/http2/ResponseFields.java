package io.remora.http2;

import io.remora.http.BodyLength;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.http.ResponseHead;
import io.remora.http.Rule;
import io.remora.http2.hpack.FieldSection;
import io.remora.http2.hpack.LineFacts;
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
    /** Room for the lines that are added to a head on its way. */
    private static final int SPARE_OCTETS = 192;

    private final int maxOctets;
    private int status;
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
    Fields head(FieldSection section) {
        status = 0;
        Fields fields = read(section, false);
        if (fields == null) {
            return null;
        }
        rule = status == SWITCHING_PROTOCOLS ? Rule.SWITCH : status < 100 ? Rule.STATUS : Rule.LENGTH;
        boolean valid = status >= 100 && status != SWITCHING_PROTOCOLS && readLength(fields);
        return valid ? fields : null;
    }

    /** Reads trailers; null where the section is malformed. */
    @Nullable
    Fields trailers(FieldSection section) {
        return read(section, true);
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

    private @Nullable Fields read(FieldSection section, boolean trailers) {
        int lines = section.count();
        if (lines > ResponseHead.MAX_FIELDS) {
            rule = Rule.TOO_MANY_FIELDS;
            return null;
        }
        int length = 0;
        for (int i = 0; i < lines; i++) {
            length += section.valueEnd(i) - section.nameStart(i) - 2;
            Rule broken = length > maxOctets ? Rule.FIELDS_TOO_LARGE : lineRule(section, i, trailers);
            if (broken != null) {
                rule = broken;
                return null;
            }
        }
        // all but the status, which is the first line
        return copy(section, trailers || status == 0 ? 0 : 1);
    }

    private static Fields copy(FieldSection section, int first) {
        int lines = section.count();
        Fields fields = Fields.received(Math.max(0, lines - first));
        int from = first < lines ? section.nameStart(first) : 0;
        int end = first < lines ? section.valueEnd(lines - 1) + 2 - from : 0;
        byte[] octets = new byte[end + SPARE_OCTETS];
        System.arraycopy(section.array(), from, octets, 0, end);
        for (int i = first; i < lines; i++) {
            int start = section.nameStart(i) - from;
            int value = section.valueStart(i) - from;
            fields.received(octets, start, value - 2, value, section.valueEnd(i) - from, true);
            if ((section.facts(i) & LineFacts.NEVER_INDEXED) != 0) {
                fields.neverIndex();
            }
        }
        fields.seal(octets, end);
        return fields;
    }

    private @Nullable Rule lineRule(FieldSection section, int line, boolean trailers) {
        int facts = section.facts(line);
        int name = facts & LineFacts.NAME;
        if (LineFacts.isPseudo(facts)) {
            // before all other fields, and once
            boolean placed = name == LineFacts.STATUS && line == 0 && !trailers;
            return !placed ? Rule.PSEUDO_FIELD : readStatus(section) ? null : Rule.STATUS;
        }
        if ((facts & LineFacts.BAD_NAME) != 0 || name == LineFacts.CONNECTION || name == LineFacts.TE) {
            return ConnectionFields.contain(section.array(), section.nameStart(line), section.nameEnd(line))
                    ? Rule.CONNECTION_FIELD
                    : Rule.FIELD_NAME;
        }
        return (facts & LineFacts.BAD_VALUE) == 0 ? null : Rule.FIELD_VALUE;
    }

    private boolean readStatus(FieldSection section) {
        int from = section.valueStart(0);
        int to = section.valueEnd(0);
        long code = to - from == STATUS_DIGITS ? Octets.decimal(section.array(), from, to) : -1;
        status = (int) Math.max(0, code);
        return code >= 0;
    }
}

package io.remora.http2;

import io.netty.util.AsciiString;
import io.remora.config.model.ListenerConfig;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.Rule;
import org.jspecify.annotations.Nullable;

/**
 * Turns a request's trailer section into fields, and judges them by the rules that hold for its head.
 *
 * <p>Owner: one event loop; reads one section. Spec: RFC 9113 sections 8.1 and 8.2.
 */
final class TrailerReader {
    private final ListenerConfig config;
    private @Nullable Failure failure;
    private @Nullable Rule rule;

    TrailerReader(ListenerConfig config) {
        this.config = config;
    }

    /** Returns what is wrong with a section that is well formed, null for nothing. */
    @Nullable
    Failure failure() {
        return failure;
    }

    /** Returns the rule that the section breaks, null for none. */
    @Nullable
    Rule rule() {
        return rule;
    }

    /**
     * Reads a whole section.
     *
     * @param usedOctets of the field lines of its head
     * @return null where it is malformed or has a failure
     */
    @Nullable
    Fields read(SectionLines lines, int usedOctets) {
        int total = RequestReader.SPARE_OCTETS;
        for (int i = 0; i < lines.count(); i++) {
            rule = lineRule(lines.name(i), lines.value(i));
            if (rule != null) {
                return null;
            }
            total += lines.name(i).length() + lines.value(i).length() + FieldRules.FRAME_OCTETS;
        }
        judge(lines, usedOctets);
        if (failure != null) {
            return null;
        }
        RequestFields made = new RequestFields(new byte[total], lines.count());
        for (int i = 0; i < lines.count(); i++) {
            if (RequestReader.isPassedOn(lines.name(i), config)) {
                made.add(lines.name(i), lines.value(i));
            }
        }
        return made.seal();
    }

    private static @Nullable Rule lineRule(AsciiString name, AsciiString value) {
        if (!FieldRules.isName(name)) {
            return !name.isEmpty() && name.byteAt(0) == ':' ? Rule.PSEUDO_FIELD : Rule.FIELD_NAME;
        }
        boolean isCoding = name.equals(FieldRules.TE) && !value.contentEqualsIgnoreCase(FieldRules.TRAILERS);
        return FieldRules.isConnections(name) || isCoding
                ? Rule.CONNECTION_FIELD
                : FieldRules.isValue(value) ? null : Rule.FIELD_VALUE;
    }

    private void judge(SectionLines lines, int usedOctets) {
        boolean tooLarge =
                usedOctets + RequestReader.blockOctets(lines) > config.limits().headerBlockBytes();
        Rule broken = tooLarge ? Rule.FIELDS_TOO_LARGE : RequestReader.namesRule(lines, config);
        if (broken != null) {
            rule = broken;
            failure = Failure.BAD_REQUEST;
        } else if (lines.count() > config.limits().headerFields()) {
            rule = Rule.TOO_MANY_FIELDS;
            failure = Failure.HEADERS_TOO_LARGE;
        }
    }
}

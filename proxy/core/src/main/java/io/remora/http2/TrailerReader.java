package io.remora.http2;

import io.remora.config.model.ListenerConfig;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.RequestHead;
import io.remora.http.Rule;
import io.remora.http2.hpack.FieldSection;
import io.remora.http2.hpack.LineFacts;
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
    Fields read(FieldSection section, int usedOctets) {
        for (int i = 0; i < section.count(); i++) {
            rule = lineRule(section, i);
            if (rule != null) {
                return null;
            }
        }
        judge(section, usedOctets);
        if (failure != null) {
            return null;
        }
        int lines = section.count();
        int octets = lines == 0 ? 0 : section.valueEnd(lines - 1) + 2;
        RequestFields made = new RequestFields(section, new byte[RequestHead.SPARE_OCTETS + octets], lines);
        for (int i = 0; i < lines; i++) {
            if (RequestReader.isPassedOn(section, i, config)) {
                made.add(i);
            }
        }
        return made.seal();
    }

    private static @Nullable Rule lineRule(FieldSection section, int line) {
        int facts = section.facts(line);
        if (LineFacts.isPseudo(facts)) {
            return Rule.PSEUDO_FIELD;
        }
        if ((facts & LineFacts.BAD_NAME) != 0) {
            return Rule.FIELD_NAME;
        }
        int name = facts & LineFacts.NAME;
        boolean isCoding = name == LineFacts.TE && !FieldRules.takesTrailers(section, line);
        if (name == LineFacts.CONNECTION || isCoding) {
            return Rule.CONNECTION_FIELD;
        }
        return (facts & LineFacts.BAD_VALUE) == 0 ? null : Rule.FIELD_VALUE;
    }

    private void judge(FieldSection section, int usedOctets) {
        boolean tooLarge = usedOctets + RequestReader.blockOctets(section)
                > config.limits().headerBlockBytes();
        Rule broken = tooLarge ? Rule.FIELDS_TOO_LARGE : RequestReader.namesRule(section, config);
        if (broken != null) {
            rule = broken;
            failure = Failure.BAD_REQUEST;
        } else if (section.count() > config.limits().headerFields()) {
            rule = Rule.TOO_MANY_FIELDS;
            failure = Failure.HEADERS_TOO_LARGE;
        }
    }
}

package io.remora.http1;

import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.Rule;
import org.jspecify.annotations.Nullable;

/** Parses one trailer section (RFC 9112 section 7.1.2). Owner: one body. */
final class TrailerParser extends SectionParser {
    /**
     * @param usedOctets of the field lines in the message's head
     */
    TrailerParser(SectionRules rules, int usedOctets) {
        super(rules, usedOctets, 0, 0);
        inFields = true;
    }

    @Override
    int startLine(int start) {
        throw new IllegalStateException("a trailer section has no start line");
    }

    @Override
    Rule startLineRule() {
        return Rule.FIELD_NAME;
    }

    @Override
    @Nullable
    Failure conclude(Fields parsed) {
        return ConnectionOptions.areTooMany(parsed) ? bad(Rule.CONNECTION_OPTIONS) : null;
    }
}

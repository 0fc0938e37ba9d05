package io.remora.http1;

import io.remora.http.Octets;
import io.remora.http.Rule;
import org.jspecify.annotations.Nullable;

/** The rule that a line of a head or of a trailer section breaks, found once it has been refused. Pure functions. */
final class BrokenLine {
    private BrokenLine() {}

    /**
     * @param start of the line
     * @param place at which it cannot be parsed
     * @param first whether no field line stands before it
     */
    static Rule ofField(byte[] octets, int start, int place, boolean first) {
        if (place == start && Octets.isBlank(octets[place])) {
            return first ? Rule.SPACE_BEFORE_FIELDS : Rule.FOLDED_LINE;
        }
        Rule end = ofEnd(octets, start, place);
        if (end != null) {
            return end;
        }
        for (int i = start; i < place; i++) {
            if (octets[i] == ':') {
                return Rule.FIELD_VALUE;
            }
        }
        return place > start && Octets.isBlank(octets[place]) ? Rule.SPACE_BEFORE_COLON : Rule.FIELD_NAME;
    }

    /**
     * Returns the rule that the line before all fields breaks; {@code malformed} where nothing is wrong with its end.
     */
    static Rule ofStart(byte[] octets, int start, int place, Rule malformed) {
        Rule end = ofEnd(octets, start, place);
        return end == null ? malformed : end;
    }

    private static @Nullable Rule ofEnd(byte[] octets, int start, int place) {
        if (octets[place] == '\n') {
            return Rule.BARE_LF;
        }
        return octets[place] == '\r' || place > start && octets[place - 1] == '\r' ? Rule.BARE_CR : null;
    }
}

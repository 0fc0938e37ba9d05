package io.remora.http1;

import io.netty.buffer.ByteBuf;
import io.remora.config.model.HeaderPolicy.Underscores;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.http.Rule;
import io.remora.http.UnderscoredNames;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Parses a header or trailer section in one pass over its octets, which it gathers from as many reads as it takes.
 *
 * <p>A line is judged once it is whole, or longer than it may be, so that the verdict does not depend on the reads. A
 * line whose first octet is wrong is judged at once.
 *
 * <p>Owner: one connection. Cost: the octets are copied out of the read into an array that the thread's parsers share.
 * The section's octets are copied into one of its size, which the {@link Fields} keep. A head above 1 KiB keeps the
 * array that it grew in. A line that comes in pieces is parsed twice and otherwise only searched for its end. Nothing
 * is held between two sections. Bounds: {@link SectionRules}.
 *
 * <p>Spec: RFC 9112 sections 2.2 and 5.
 */
abstract class SectionParser {
    private static final byte UNDERSCORE = 2;
    /** Classes of octets: 0 where no name can have it, 1 in tokens, {@link #UNDERSCORE} for the underscore. */
    private static final byte[] NAME = new byte[256];

    static {
        for (int i = 0; i < NAME.length; i++) {
            NAME[i] = (byte) (i == '_' ? UNDERSCORE : Octets.endOfToken(new byte[] {(byte) i}, 0, 1) == 1 ? 1 : 0);
        }
    }

    final SectionRules rules;
    private final int spareLines;
    private final int spareOctets;
    /** True while {@link #octets} are the thread's. */
    private boolean lent;

    byte[] octets = Octets.NONE;
    /** Number of octets in use of {@link #octets}. */
    int end;
    /** The start of the first line that is not judged yet. */
    private int next;
    /** Place up to which the end of that line has been looked for, 0 for not at all. */
    private int searched;

    /** True while field lines are next, not the start line. */
    boolean inFields;

    private boolean lineDropped;
    private int lines;
    private int blockOctets;
    private @Nullable Fields fields;
    private @Nullable Failure failure;
    private @Nullable Rule broken;

    /**
     * @param usedOctets of the block, by the section that came before
     * @param spareLines that are usually added to a section on its way
     * @param spareOctets of these lines
     */
    SectionParser(SectionRules rules, int usedOctets, int spareLines, int spareOctets) {
        this.rules = rules;
        this.spareLines = spareLines;
        this.spareOctets = spareOctets;
        this.blockOctets = usedOctets;
    }

    /** Returns whether a section has begun that is not whole; an empty line, or half of one, does not begin a head. */
    boolean hasBegun() {
        return end > 1 || end == 1 && octets[0] != '\r';
    }

    /** Bytes of the heap that a section takes while it is not whole. */
    int heldBytes() {
        Fields parsed = fields;
        return octets.length + (parsed == null ? 0 : parsed.heapBytes());
    }

    /** Fields of the section that is whole. */
    public Fields fields() {
        Fields parsed = fields;
        if (parsed == null) {
            throw new IllegalStateException("no section is whole");
        }
        return parsed;
    }

    /** Failure of the section. */
    public Failure failure() {
        return failure == null ? rules.bad() : failure;
    }

    /** The rule that is broken, null where nothing is wrong. */
    public @Nullable Rule rule() {
        return broken;
    }

    /** Notes the rule for which the section is refused; returns {@code as}. */
    final Failure refuse(Failure as, Rule rule) {
        broken = rule;
        return as;
    }

    final Failure bad(Rule rule) {
        return refuse(rules.bad(), rule);
    }

    /** Octets of the field lines, without their CR LF. */
    public int blockOctets() {
        return blockOctets;
    }

    /** Takes octets out of {@code in}, none of those behind the section. */
    public Progress parse(ByteBuf in) {
        if (failure != null) {
            return Progress.REFUSED;
        }
        while (in.isReadable()) {
            gather(in);
            int behind = judge();
            if (behind > 0) {
                in.readerIndex(in.readerIndex() - (end - behind));
                end = behind;
                return finish();
            }
            if (failure != null) {
                refused(fields);
                release();
                return Progress.REFUSED;
            }
        }
        own();
        return Progress.MORE;
    }

    // before the thread's other parsers go on, and before anybody keeps a piece of it
    private void own() {
        if (lent) {
            lent = false;
            octets = end == 0 ? Octets.NONE : Arrays.copyOf(octets, end + spareOctets);
        }
        if (fields != null) {
            fields.own(spareLines);
        }
    }

    /** The section is refused, and what has come of it goes with the return of this call. */
    void refused(@Nullable Fields soFar) {}

    /** The rest of the section is not waited for. */
    final void giveUp() {
        refused(fields);
    }

    private void release() {
        fields = null;
        lent = false;
        octets = Octets.NONE;
    }

    /** Forgets the section, whole or not. */
    public void reset() {
        release();
        end = 0;
        next = 0;
        searched = 0;
        lines = 0;
        blockOctets = 0;
        inFields = false;
        lineDropped = false;
    }

    private void gather(ByteBuf in) {
        int count = Math.min(in.readableBytes(), SectionScratch.OCTETS);
        if (end == 0) {
            octets = SectionScratch.ofThread().octets;
            lent = true;
        } else if (end + count > octets.length) {
            octets = Arrays.copyOf(octets, Math.max(end + count + spareOctets, end * 2));
            lent = false;
        }
        in.readBytes(octets, end, count);
        end += count;
    }

    // tells where the section ends, 0 for not yet or not at all
    private int judge() {
        if (searched > next && !isWorthParsing()) {
            return 0;
        }
        while (next < end && failure == null) {
            boolean blank = inFields && octets[next] == '\r';
            int behind = blank ? Octets.endOfLine(octets, next, end) : inFields ? fieldLine(next) : startLine(next);
            if (behind < 0) {
                stopAt(~behind);
                return 0;
            }
            if (blank) {
                return behind;
            }
            if (!inFields) {
                startLineSeen(behind);
            }
            next = behind;
        }
        dropEmptyLines();
        return 0;
    }

    private void startLineSeen(int behind) {
        int length = behind - next - 2;
        if (length > rules.lineOctets()) {
            failure = refuse(rules.lineTooLong(), Rule.LINE_TOO_LONG);
        }
        // an empty line before it is not the start line
        inFields = length > 0;
    }

    private void dropEmptyLines() {
        if (!inFields && next > 0) {
            end -= next;
            System.arraycopy(octets, next, octets, 0, end);
            next = 0;
            searched = 0;
        }
    }

    // whether the line that was not whole is whole now, or too long, or no empty line after all
    private boolean isWorthParsing() {
        for (int i = searched; i < end; i++) {
            if (octets[i] == '\n') {
                return true;
            }
        }
        searched = end;
        return octets[next] == '\r' || lineOctetsSoFar() > lineLimit();
    }

    private int lineOctetsSoFar() {
        return end - next - (octets[end - 1] == '\r' ? 1 : 0);
    }

    private int lineLimit() {
        return inFields ? rules.blockOctets() - blockOctets : rules.lineOctets();
    }

    // the line cannot be parsed beyond this place, which is wrong, or the end of what has come
    private void stopAt(int place) {
        int limit = lineLimit();
        boolean halfEnded = place == end && octets[end - 1] == '\r';
        if (place - next - (halfEnded ? 1 : 0) > limit) {
            failure = tooLong();
        } else if (place < end && (place - next <= 1 && isWrongAtOnce(place) || isLineFeedFrom(place))) {
            failure = bad(ruleAt(place));
        } else if (lineOctetsSoFar() > limit) {
            failure = place < end ? bad(ruleAt(place)) : tooLong();
        } else {
            searched = end;
            dropEmptyLines();
        }
    }

    private Failure tooLong() {
        return inFields
                ? refuse(rules.blockTooLarge(), Rule.FIELDS_TOO_LARGE)
                : refuse(rules.lineTooLong(), Rule.LINE_TOO_LONG);
    }

    private Rule ruleAt(int place) {
        return inFields
                ? BrokenLine.ofField(octets, next, place, fields == null)
                : BrokenLine.ofStart(octets, next, place, startLineRule());
    }

    private boolean isWrongAtOnce(int place) {
        return place == next || octets[next] == '\r';
    }

    private boolean isLineFeedFrom(int place) {
        for (int i = place; i < end; i++) {
            if (octets[i] == '\n') {
                return true;
            }
        }
        return false;
    }

    // ---- lines: each tells the place behind it, or the complement of the place at which it cannot be parsed

    /** Parses the line that begins a head; an empty line that may stand before it counts as one. */
    abstract int startLine(int start);

    /** The rule of how that line is written. */
    abstract Rule startLineRule();

    private int fieldLine(int start) {
        byte[] array = octets;
        if (Octets.isBlank(array[start])) {
            return rules.mends() ? foldedLine(start) : ~start;
        }
        int to = end;
        int at = start;
        int kinds = 0;
        int kind;
        while (at < to && (kind = NAME[array[at] & 0xff]) != 0) {
            kinds |= kind;
            at++;
        }
        int nameEnd = at;
        if (rules.straySpaces()) {
            at = Octets.endOfBlanks(array, at, to);
        }
        if (at == to || at == start || array[at] != ':') {
            return ~at;
        }
        boolean spaced = at == nameEnd && at + 1 < to && array[at + 1] == ' ';
        int value = Octets.endOfBlanks(array, at + 1, to);
        int valueEnd = Octets.endOfValue(array, value, to);
        int behind = Octets.endOfLine(array, valueEnd, to);
        if (behind >= 0) {
            boolean plain = spaced && value == nameEnd + 2;
            take(start, nameEnd, value, valueEnd, plain, kinds);
        }
        return behind;
    }

    private void take(int start, int nameEnd, int value, int lineEnd, boolean plain, int kinds) {
        int valueEnd = Octets.startOfBlanks(octets, value, lineEnd);
        blockOctets += lineEnd - start;
        if (blockOctets > rules.blockOctets()) {
            failure = refuse(rules.blockTooLarge(), Rule.FIELDS_TOO_LARGE);
        } else if (++lines > rules.fields()) {
            failure = refuse(rules.tooManyFields(), Rule.TOO_MANY_FIELDS);
        } else {
            lineDropped = (kinds & UNDERSCORE) != 0 && isDropped(start, nameEnd);
            if (!lineDropped) {
                fieldsSoFar().received(octets, start, nameEnd, value, valueEnd, plain && valueEnd == lineEnd);
            }
        }
    }

    private Fields fieldsSoFar() {
        Fields parsed = fields;
        if (parsed == null) {
            parsed = Fields.receivedIn(SectionScratch.ofThread().lines);
            fields = parsed;
        }
        return parsed;
    }

    private boolean isDropped(int start, int nameEnd) {
        Underscores underscores = rules.underscores();
        if (underscores == null) {
            return false;
        }
        if (underscores == Underscores.REJECT || UnderscoredNames.isConfusable(octets, start, nameEnd)) {
            failure = bad(Rule.UNDERSCORE);
        }
        return underscores == Underscores.DROP;
    }

    // RFC 9112 5.2: it belongs to the line before it
    private int foldedLine(int start) {
        int from = Octets.endOfBlanks(octets, start, end);
        int to = Octets.endOfValue(octets, from, end);
        int behind = Octets.endOfLine(octets, to, end);
        if (behind < 0) {
            return behind;
        }
        blockOctets += to - start;
        int last = Octets.startOfBlanks(octets, from, to);
        if (blockOctets > rules.blockOctets()) {
            failure = refuse(rules.blockTooLarge(), Rule.FIELDS_TOO_LARGE);
        } else if (!lineDropped && (fields == null || !fields.unfold(octets, from, last))) {
            failure = bad(fields == null ? Rule.SPACE_BEFORE_FIELDS : Rule.FOLDED_LINE);
        }
        return behind;
    }

    private Progress finish() {
        Fields parsed = fieldsSoFar();
        own();
        parsed.seal(octets, next);
        failure = conclude(parsed);
        if (failure != null) {
            refused(parsed);
            release();
        }
        return failure == null ? Progress.DONE : Progress.REFUSED;
    }

    /** Judges the section as a whole; returns its failure, null for none. */
    abstract @Nullable Failure conclude(Fields parsed);
}

package io.remora.http1;

import io.remora.config.model.HeaderPolicy.Underscores;
import io.remora.http.Failure;
import io.remora.http.ResponseHead;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a header or trailer section, with the failure for each. Immutable, shared by all connections of a
 * listener or cluster.
 *
 * @param lineOctets of a request line, a status line, or the line of a chunk's size
 * @param blockOctets of all field lines of a message together, without their CR LF, trailers included
 * @param fields lines of one section
 * @param mends whether folded lines are joined
 * @param straySpaces whether spaces before a colon and behind the size of a chunk are dropped rather than refused
 * @param underscores null for names that nobody needs to judge
 */
public record SectionRules(
        int lineOctets,
        int blockOctets,
        int fields,
        boolean mends,
        boolean straySpaces,
        @Nullable Underscores underscores,
        Failure bad,
        Failure lineTooLong,
        Failure blockTooLarge,
        Failure tooManyFields) {
    /** Bound on the length of a status line, whose reason nobody reads. */
    private static final int STATUS_LINE_OCTETS = 8 * 1_024;

    /** Returns the rules of a request's head, in which nothing is mended (RFC 9112 5.1 and 5.2). */
    static SectionRules ofRequest(int lineOctets, int blockOctets, int fields, Underscores underscores) {
        return new SectionRules(
                lineOctets,
                blockOctets,
                fields,
                false,
                false,
                underscores,
                Failure.BAD_REQUEST,
                Failure.TARGET_TOO_LONG,
                Failure.HEADERS_TOO_LARGE,
                Failure.HEADERS_TOO_LARGE);
    }

    /** Returns the rules of a response's head. */
    public static SectionRules ofResponse(int blockOctets) {
        Failure bad = Failure.BAD_RESPONSE;
        return new SectionRules(
                STATUS_LINE_OCTETS, blockOctets, ResponseHead.MAX_FIELDS, true, true, null, bad, bad, bad, bad);
    }

    /** Returns the rules of chunk lines and trailers of a message whose head has these rules. */
    public SectionRules ofBody() {
        return new SectionRules(
                lineOctets, blockOctets, fields, true, straySpaces, underscores, bad, bad, bad, tooManyFields);
    }
}

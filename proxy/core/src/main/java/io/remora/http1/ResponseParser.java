package io.remora.http1;

import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.http.ResponseHead;
import io.remora.http.Rule;
import org.jspecify.annotations.Nullable;

/**
 * Parses the heads of a backend's responses, one after the other, and judges each. It mends folded lines and white
 * space before a colon, as RFC 9112 has a proxy do. It also mends a missing space after the status code, which many
 * servers leave out.
 *
 * <p>Owner: one backend connection. Its results for a head hold until {@link #reset}.
 *
 * <p>Spec: RFC 9112 sections 4 to 6; RFC 9110 sections 7.8, 8.6 and 15.
 */
public final class ResponseParser extends SectionParser {
    private static final byte[] VERSION = {'H', 'T', 'T', 'P', '/', '1', '.', '0', ' '};
    /** Lines that are usually added: Via and Date. */
    private static final int SPARE_LINES = 2;

    private static final int SPARE_OCTETS = 64;

    private static final int MINOR = 7;
    private static final int STATUS_DIGITS = 3;

    private boolean toHead;
    private boolean mayUpgrade;
    private boolean http11;
    private int status;
    private int reasonStart;
    private int reasonEnd;
    private int options;
    private long bodyLength;
    private boolean chunked;

    public ResponseParser(SectionRules rules) {
        super(rules, 0, SPARE_LINES, SPARE_OCTETS);
    }

    /**
     * The next heads answer this request.
     *
     * @param isHead whether it is a HEAD, whose response has no body, no matter what its fields say
     * @param isUpgrade whether it asked for a protocol that a 101 may grant
     */
    public void expect(boolean isHead, boolean isUpgrade) {
        toHead = isHead;
        mayUpgrade = isUpgrade;
    }

    // ---- the head that is whole

    public int status() {
        return status;
    }

    /** Reason phrase, perhaps empty. */
    public Octets reason() {
        return Reasons.of(octets, reasonStart, reasonEnd);
    }

    /** Octets of the body, or {@link BodyLength#UNKNOWN}. */
    public long bodyLength() {
        return bodyLength;
    }

    /** Returns whether there is a body and it is chunked. */
    public boolean isChunked() {
        return chunked;
    }

    /** Options of the Connection field, as {@link ConnectionOptions}. */
    public int connectionOptions() {
        return options;
    }

    /** Returns whether the backend would take another request; an HTTP/1.0 backend gets no second one. */
    public boolean isKeptAlive() {
        return http11 && (options & ConnectionOptions.CLOSE) == 0;
    }

    // ---- the status line

    // HTTP-version SP status-code [ SP reason-phrase ]
    @Override
    int startLine(int start) {
        byte[] array = octets;
        int to = end;
        int at = start;
        for (int i = 0; i < VERSION.length; i++, at++) {
            if (at == to || array[at] != VERSION[i] && !(i == MINOR && array[at] == '1')) {
                return ~at;
            }
        }
        http11 = array[start + MINOR] == '1';
        int code = 0;
        for (int i = 0; i < STATUS_DIGITS; i++, at++) {
            if (at == to || !Octets.isDigit(array[at])) {
                return ~at;
            }
            code = code * 10 + array[at] - '0';
        }
        status = code;
        return reason(array, at, to);
    }

    private int reason(byte[] array, int start, int to) {
        int at = start;
        if (at < to && array[at] == ' ') {
            at = Octets.endOfValue(array, at, to);
        }
        reasonStart = Octets.endOfBlanks(array, start, at);
        reasonEnd = Octets.startOfBlanks(array, reasonStart, at);
        return Octets.endOfLine(array, at, to);
    }

    @Override
    Rule startLineRule() {
        return Rule.STATUS_LINE;
    }

    // ---- the head as a whole

    @Override
    @Nullable
    Failure conclude(Fields parsed) {
        options = parsed.contains(FieldName.CONNECTION) ? ConnectionOptions.of(parsed) : 0;
        // RFC 9110 15: beyond 599 it is invalid, and means to clients what 5xx does
        Rule rule = status < 100
                ? Rule.STATUS
                : (options & ConnectionOptions.TOO_MANY) != 0
                        ? Rule.CONNECTION_OPTIONS
                        : status == 101 && !(mayUpgrade && Upgrades.isWebsocket(parsed, options))
                                ? Rule.SWITCH
                                : !readLength(parsed) ? Rule.LENGTH : readCoding(parsed);
        return rule == null ? null : bad(rule);
    }

    private boolean readLength(Fields parsed) {
        bodyLength = BodyLength.UNKNOWN;
        if (parsed.contains(FieldName.CONTENT_LENGTH)) {
            bodyLength = Framing.contentLength(parsed);
            if (bodyLength < 0) {
                return false;
            }
            if (!Framing.isLengthPlain(parsed)) {
                parsed.set(FieldName.CONTENT_LENGTH, Long.toString(bodyLength));
            }
        }
        return true;
    }

    // tells what is wrong, null for nothing
    private @Nullable Rule readCoding(Fields parsed) {
        boolean coded = parsed.contains(FieldName.TRANSFER_ENCODING);
        if (toHead || ResponseHead.neverHasBody(status)) {
            bodyLength = BodyLength.NONE;
            chunked = false;
            return !coded || Framing.hasOnlyChunked(parsed) ? null : Rule.CODING;
        }
        chunked = coded;
        if (!coded) {
            return null;
        }
        if (!http11) {
            return Rule.CODING_IN_OLD_VERSION;
        }
        return bodyLength != BodyLength.UNKNOWN
                ? Rule.LENGTH_AND_CODING
                : Framing.isChunked(parsed) ? null : Rule.CODING;
    }
}

package io.remora.http1;

import io.remora.http.Authority;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Methods;
import io.remora.http.Octets;
import io.remora.http.RequestHead;
import io.remora.http.Rule;
import org.jspecify.annotations.Nullable;

/**
 * Parses the heads of a client's requests, one after the other, and judges each by the strict rules: where an RFC says
 * that a server may accept, this refuses, because leniency could only add a second meaning to a message.
 *
 * <p>Owner: one client connection. Its results for a head hold until {@link #reset}.
 *
 * <p>Spec: RFC 9112 sections 2 to 6.
 */
final class RequestParser extends SectionParser {
    private static final byte[] VERSION = {'H', 'T', 'T', 'P', '/', '0', '.', '0'};
    /** Lines that are usually added: Via, three fields of forwarding, a request id, and one to spare. */
    private static final int SPARE_LINES = 6;

    private static final int MAJOR = 5;
    private static final int MINOR = 7;
    private static final byte[] HTTP = Octets.of("http://").array;
    private static final byte[] HTTPS = Octets.of("https://").array;
    private static final Octets ROOT = Octets.of("/");
    private static final Octets ASTERISK = Octets.of("*");

    private final Octets defaultAuthority;
    private String method = "";
    private int methodStart;
    private int methodEnd;
    private int targetEnd;
    private boolean fragment;
    private int version;
    private long bodyLength;
    private int options;
    private @Nullable Octets target;
    private @Nullable Octets authority;
    /** The readable part of a head that was refused, which is the last one. */
    private @Nullable Http1Request partial;

    /**
     * @param defaultAuthority what an HTTP/1.0 request without a Host is taken to be for
     */
    RequestParser(SectionRules rules, Octets defaultAuthority) {
        this(rules, defaultAuthority, 0, 0);
    }

    /**
     * @param addedLines that the stages of the listener add to those that are usually added
     * @param addedOctets of these lines
     */
    RequestParser(SectionRules rules, Octets defaultAuthority, int addedLines, int addedOctets) {
        super(rules, 0, SPARE_LINES + addedLines, RequestHead.SPARE_OCTETS + addedOctets);
        this.defaultAuthority = defaultAuthority;
    }

    // ---- the head that is whole

    /** Method as received; one of the usual ones is always the same string. */
    String method() {
        return method;
    }

    /** Target in origin-form with its query, or an asterisk; never absolute. */
    Octets target() {
        return target == null ? ASTERISK : target;
    }

    /** Authority of an absolute-form target, or the value of Host. */
    Octets authority() {
        return authority == null ? defaultAuthority : authority;
    }

    /** Returns whether the version is 1.1; it is 1.0 otherwise. */
    boolean isHttp11() {
        return version == 11;
    }

    /** Octets of the body, or {@link BodyLength#UNKNOWN}: the body is chunked then. */
    long bodyLength() {
        return bodyLength;
    }

    /** Options of the Connection field, as {@link ConnectionOptions}. */
    int connectionOptions() {
        return options;
    }

    @Override
    public void reset() {
        super.reset();
        method = "";
        target = null;
        authority = null;
        options = 0;
    }

    @Override
    void refused(@Nullable Fields soFar) {
        if (soFar != null) {
            soFar.seal(octets, end);
        }
        partial = PartialHead.of(octets, methodStart, end, soFar);
    }

    /** Returns a stand-in for a head that was refused, or is not waited for any longer, with its readable part. */
    Http1Request unreadable() {
        if (partial == null) {
            giveUp();
        }
        return partial == null ? Http1Request.unreadable() : partial;
    }

    // ---- the request line

    // method SP request-target SP HTTP-version
    @Override
    int startLine(int start) {
        byte[] array = octets;
        int to = end;
        if (array[start] == '\r') {
            // RFC 9112 2.2: empty lines before a request line are passed over
            return Octets.endOfLine(array, start, to);
        }
        int at = Octets.endOfToken(array, start, to);
        methodStart = start;
        methodEnd = at;
        if (at == to || at == start || array[at] != ' ') {
            return ~at;
        }
        at++;
        int target = at;
        boolean hash = false;
        while (at < to && array[at] > ' ' && array[at] != 0x7f) {
            hash |= array[at] == '#';
            at++;
        }
        targetEnd = at;
        fragment = hash;
        return at == to || at == target || array[at] != ' ' ? ~at : version(array, at + 1, to);
    }

    @Override
    Rule startLineRule() {
        return Rule.REQUEST_LINE;
    }

    private int version(byte[] array, int start, int to) {
        for (int i = 0; i < VERSION.length; i++) {
            int at = start + i;
            if (at == to) {
                return ~at;
            }
            boolean digit = i == MAJOR || i == MINOR;
            if (digit ? !Octets.isDigit(array[at]) : array[at] != VERSION[i]) {
                return ~at;
            }
        }
        version = (array[start + MAJOR] - '0') * 10 + array[start + MINOR] - '0';
        return Octets.endOfLine(array, start + VERSION.length, to);
    }

    // ---- the head as a whole, in the order in which it is judged

    @Override
    @Nullable
    Failure conclude(Fields parsed) {
        method = Methods.of(octets, methodStart, methodEnd);
        Failure failure = judgeFraming(parsed);
        if (failure == null && version != 11 && version != 10) {
            failure = Failure.UNSUPPORTED_VERSION;
        }
        if (failure == null && method.equals("CONNECT")) {
            boolean valid = Authority.hasPort(octets, methodEnd + 1, targetEnd);
            failure = valid ? Failure.CONNECT_REFUSED : bad(Rule.CONNECT_PORT);
        }
        if (failure == null) {
            Rule rule = judge(parsed);
            failure = rule == null ? null : bad(rule);
        }
        if (failure == null && parsed.contains(FieldName.TRANSFER_ENCODING)) {
            failure = judgeCoding(parsed);
        }
        if (failure == null && parsed.contains(FieldName.CONNECTION)) {
            options = ConnectionOptions.of(parsed);
            failure = (options & ConnectionOptions.TOO_MANY) == 0 ? null : bad(Rule.CONNECTION_OPTIONS);
        }
        return failure;
    }

    // tells what is wrong, null for nothing
    private @Nullable Rule judge(Fields parsed) {
        if (!readTarget()) {
            return Rule.TARGET;
        }
        Rule host = readHost(parsed);
        if (host != null) {
            return host;
        }
        return hasHiddenBody(parsed) ? Rule.HIDDEN_BODY : Framing.isLengthPlain(parsed) ? null : Rule.LENGTH;
    }

    private @Nullable Failure judgeFraming(Fields parsed) {
        bodyLength = BodyLength.NONE;
        boolean coded = parsed.contains(FieldName.TRANSFER_ENCODING);
        if (parsed.contains(FieldName.CONTENT_LENGTH)) {
            bodyLength = Framing.contentLength(parsed);
            if (bodyLength < 0 || coded) {
                return bad(bodyLength < 0 ? Rule.LENGTH : Rule.LENGTH_AND_CODING);
            }
        }
        if (coded) {
            bodyLength = BodyLength.UNKNOWN;
            // RFC 9112 6.1: from an HTTP/1.0 client the field may have been passed on by who did not know it
            if (version != 11) {
                return bad(Rule.CODING_IN_OLD_VERSION);
            }
            return Framing.endsChunked(parsed) ? null : bad(Rule.CHUNKED_NOT_LAST);
        }
        return null;
    }

    // chunked is last; other codings before it are known to HTTP, not to the sidecar
    private @Nullable Failure judgeCoding(Fields parsed) {
        if (parsed.isRepeated(FieldName.TRANSFER_ENCODING)) {
            return bad(Rule.CODING_REPEATED);
        }
        return Framing.isChunked(parsed) ? null : Failure.UNKNOWN_TRANSFER_CODING;
    }

    // the withdrawn WebSocket draft 76 sends eight octets behind a GET with both keys, and some take them for its body
    private static boolean hasHiddenBody(Fields parsed) {
        return parsed.contains(FieldName.SEC_WEBSOCKET_KEY1) && parsed.contains(FieldName.SEC_WEBSOCKET_KEY2);
    }

    // RFC 9112 3.2 and 3.2.2: the target's authority replaces whatever Host came with it, but that must be valid as
    // well
    private @Nullable Rule readHost(Fields parsed) {
        int line = parsed.indexOf(FieldName.HOST, 0);
        if (line < 0) {
            if (version == 11) {
                return Rule.HOST_MISSING;
            }
        } else {
            int from = parsed.valueStart(line);
            int to = parsed.valueEnd(line);
            if (parsed.isRepeated(FieldName.HOST)) {
                return Rule.HOST_REPEATED;
            }
            if (!Authority.isValid(octets, from, to)) {
                return Rule.HOST_INVALID;
            }
            Octets host = new Octets(octets, from, to);
            if (authority == null) {
                authority = host;
                return null;
            }
            if (authority.contentEquals(host)) {
                return null;
            }
        }
        parsed.set(FieldName.HOST, authority());
        return null;
    }

    // RFC 9112 3.2: the path and query are never decoded or normalised; what may not stand in a target is refused
    private boolean readTarget() {
        int start = methodEnd + 1;
        byte[] array = octets;
        if (fragment) {
            return false;
        }
        if (array[start] == '/') {
            target = new Octets(array, start, targetEnd);
            return true;
        }
        if (array[start] == '*' && targetEnd == start + 1) {
            target = ASTERISK;
            return method.equals("OPTIONS");
        }
        return readAbsolute(array, start);
    }

    private boolean readAbsolute(byte[] array, int start) {
        int from = endOfScheme(array, start);
        if (from < 0) {
            return false;
        }
        int to = from;
        while (to < targetEnd && array[to] != '/' && array[to] != '?') {
            to++;
        }
        if (!Authority.isValid(array, from, to)) {
            return false;
        }
        authority = new Octets(array, from, to);
        if (to == targetEnd) {
            // RFC 9112 3.2.1 and 3.2.4: OPTIONS without a path asks about the whole server
            target = method.equals("OPTIONS") ? ASTERISK : ROOT;
        } else if (array[to] == '/') {
            target = new Octets(array, to, targetEnd);
        } else {
            target = Octets.of("/" + Octets.text(array, to, targetEnd));
        }
        return true;
    }

    private int endOfScheme(byte[] array, int start) {
        for (byte[] scheme : new byte[][] {HTTP, HTTPS}) {
            int behind = start + scheme.length;
            if (behind <= targetEnd && Octets.equalsIgnoreCase(array, start, behind, scheme)) {
                return behind;
            }
        }
        return -1;
    }
}

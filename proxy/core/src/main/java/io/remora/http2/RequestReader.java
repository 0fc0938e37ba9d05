package io.remora.http2;

import io.netty.util.AsciiString;
import io.remora.config.model.HeaderPolicy.Underscores;
import io.remora.config.model.ListenerConfig;
import io.remora.http.Authority;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.Methods;
import io.remora.http.Octets;
import io.remora.http.Rule;
import io.remora.http.UnderscoredNames;
import org.jspecify.annotations.Nullable;

/**
 * Turns a header section into an exchange's head, and judges it by the rules that hold for HTTP/1 too. A section that
 * breaks a rule about messages of HTTP/2 is malformed; one that is only no good request has a {@link Failure}.
 *
 * <p>Owner: one event loop; reads one section after the other. Spec: RFC 9113 sections 8.2 and 8.3.
 */
final class RequestReader {
    private static final AsciiString METHOD = AsciiString.cached(":method");
    private static final AsciiString SCHEME = AsciiString.cached(":scheme");
    private static final AsciiString AUTHORITY = AsciiString.cached(":authority");
    private static final AsciiString PATH = AsciiString.cached(":path");
    private static final AsciiString PROTOCOL = AsciiString.cached(":protocol");
    private static final AsciiString HOST = AsciiString.cached("host");
    private static final AsciiString COOKIE = AsciiString.cached("cookie");
    private static final AsciiString CONTENT_LENGTH = AsciiString.cached("content-length");
    private static final byte[] HTTP = Octets.of("http").array;
    private static final byte[] HTTPS = Octets.of("https").array;
    private static final Octets ASTERISK = Octets.of("*");
    private static final Octets NOWHERE = Octets.of("-");
    /** Room for the lines that are added to a head on its way. */
    static final int SPARE_OCTETS = 192;
    /** The cost of a line beyond its octets (RFC 9113 6.5.2). */
    private static final int CRUMB_OCTETS = 32;

    private final ListenerConfig config;
    private boolean malformed;
    private @Nullable Failure failure;
    private @Nullable Rule rule;
    private @Nullable AsciiString method;
    private @Nullable AsciiString scheme;
    private @Nullable AsciiString authority;
    private @Nullable AsciiString path;
    private @Nullable AsciiString protocol;
    private @Nullable AsciiString host;
    private long length;
    private int octets;
    private int cookieOctets;
    private int cookies;
    private int fields;
    private int blockOctets;
    private boolean takesTrailers;

    RequestReader(ListenerConfig config) {
        this.config = config;
        this.length = BodyLength.UNKNOWN;
    }

    /** Returns whether the section is no message at all: the stream is an error. */
    boolean isMalformed() {
        return malformed;
    }

    /** Failure of a section that is a message, null for none. */
    @Nullable
    Failure failure() {
        return failure;
    }

    /** The rule that the section breaks, null where nothing is wrong. */
    @Nullable
    Rule rule() {
        return rule;
    }

    private boolean breaks(Rule broken) {
        rule = broken;
        return false;
    }

    private Failure bad(Rule broken) {
        rule = broken;
        return Failure.BAD_REQUEST;
    }

    /** Octets of the head's field lines, against which its trailers count as well. */
    int blockOctets() {
        return blockOctets;
    }

    /**
     * Reads a whole section.
     *
     * @param ends whether the request has no body
     * @return what stands in for it where it is malformed or has a failure
     */
    FrontendRequest read(SectionLines lines, boolean ends) {
        boolean pseudo = true;
        for (int i = 0; i < lines.count() && !malformed; i++) {
            AsciiString name = lines.name(i);
            boolean isPseudo = !name.isEmpty() && name.byteAt(0) == ':';
            // RFC 9113 8.3: all of them before the first field
            malformed = isPseudo && !pseudo || !FieldRules.isValue(lines.value(i));
            rule = malformed ? isPseudo && !pseudo ? Rule.PSEUDO_FIELD : Rule.FIELD_VALUE : rule;
            pseudo &= isPseudo;
            if (!malformed) {
                malformed = isPseudo ? !pseudoField(name, lines.value(i)) : !field(name, lines.value(i), ends);
            }
        }
        if (!malformed && !isRequest()) {
            rule = Rule.PSEUDO_FIELD;
            malformed = true;
        }
        if (!malformed) {
            judge(lines);
        }
        return malformed || failure != null ? unreadable(lines) : make(lines, ends);
    }

    /** Returns a stand-in for a request that cannot be read. */
    static FrontendRequest unreadable() {
        return new FrontendRequest("-", NOWHERE, Octets.of(""), new Fields(), BodyLength.NONE, false, false);
    }

    // with what could be read of it, for the log
    private FrontendRequest unreadable(SectionLines lines) {
        AsciiString whom = authority == null ? host : authority;
        return new FrontendRequest(
                PartialRequest.method(method),
                path == null ? NOWHERE : PartialRequest.cut(path),
                whom == null ? Octets.of("") : PartialRequest.cut(whom),
                PartialRequest.logged(lines),
                BodyLength.NONE,
                false,
                false);
    }

    // ---- line by line

    private boolean pseudoField(AsciiString name, AsciiString value) {
        octets += value.length();
        rule = Rule.PSEUDO_FIELD;
        boolean valid = isPseudoField(name, value);
        rule = valid ? null : rule;
        return valid;
    }

    private boolean isPseudoField(AsciiString name, AsciiString value) {
        if (name.equals(METHOD)) {
            boolean first = method == null;
            method = value;
            return first && FieldRules.isToken(value);
        }
        if (name.equals(PATH)) {
            boolean first = path == null;
            path = value;
            return first && !value.isEmpty();
        }
        if (name.equals(SCHEME)) {
            boolean first = scheme == null;
            scheme = value;
            return first && !value.isEmpty();
        }
        if (name.equals(PROTOCOL)) {
            boolean first = protocol == null;
            protocol = value;
            return first && FieldRules.isToken(value);
        }
        boolean first = authority == null;
        authority = value;
        return first && name.equals(AUTHORITY);
    }

    private boolean field(AsciiString name, AsciiString value, boolean ends) {
        boolean isCrumb = name.equals(COOKIE);
        // RFC 9113 8.2.3: all of them are one field
        fields += isCrumb && cookies > 0 ? 0 : 1;
        if (!FieldRules.isName(name)) {
            return breaks(Rule.FIELD_NAME);
        }
        if (FieldRules.isConnections(name)) {
            return breaks(Rule.CONNECTION_FIELD);
        }
        if (name.equals(FieldRules.TE)) {
            takesTrailers = value.contentEqualsIgnoreCase(FieldRules.TRAILERS);
            return takesTrailers || breaks(Rule.CONNECTION_FIELD);
        }
        if (name.equals(HOST)) {
            if (host != null) {
                failure = bad(Rule.HOST_REPEATED);
            }
            host = value;
        } else if (isCrumb) {
            cookies++;
            cookieOctets += value.length() + 2;
        } else if (name.equals(CONTENT_LENGTH)) {
            return contentLength(value, ends);
        }
        return true;
    }

    // RFC 9113 8.1.1; what comes is counted against it as it comes
    private boolean contentLength(AsciiString value, boolean ends) {
        byte[] array = value.array();
        int from = value.arrayOffset();
        boolean plain = value.length() == 1 || !value.isEmpty() && array[from] != '0';
        boolean first = length == BodyLength.UNKNOWN;
        length = Octets.decimal(array, from, from + value.length());
        boolean valid = first && plain && length >= 0;
        return valid && (!ends || length == 0) || breaks(valid ? Rule.LENGTH_DIFFERS : Rule.LENGTH);
    }

    private boolean isConnect() {
        return method != null && method.contentEquals("CONNECT");
    }

    private boolean isRequest() {
        if (protocol != null) {
            // RFC 8441 4
            return isConnect() && scheme != null && path != null && authority != null;
        }
        if (isConnect()) {
            // RFC 9113 8.5
            return scheme == null && path == null && authority != null;
        }
        return method != null && scheme != null && path != null;
    }

    // ---- as a whole

    private void judge(SectionLines lines) {
        blockOctets = blockOctets(lines);
        if (octets > config.limits().requestLineBytes()) {
            rule = Rule.LINE_TOO_LONG;
            failure = Failure.TARGET_TOO_LONG;
        } else if (fields > config.limits().headerFields()
                || blockOctets > config.limits().headerBlockBytes()) {
            rule = fields > config.limits().headerFields() ? Rule.TOO_MANY_FIELDS : Rule.FIELDS_TOO_LARGE;
            failure = Failure.HEADERS_TOO_LARGE;
        } else if (isConnect() && !isWebSocket()) {
            failure = isAuthority(authority, protocol == null) ? Failure.CONNECT_REFUSED : bad(Rule.CONNECT_PORT);
        } else if (isWebSocket() && length != BodyLength.UNKNOWN) {
            // RFC 9110 9.3.6: it has no content, and nobody is to take what follows for one
            failure = bad(Rule.CONTENT_OF_CONNECT);
        } else if (failure == null) {
            Rule broken = !isTarget() ? Rule.TARGET : hostRule() == null ? namesRule(lines, config) : hostRule();
            failure = broken == null ? null : bad(broken);
        }
    }

    private boolean isWebSocket() {
        return protocol != null && protocol.contentEqualsIgnoreCase(FrontendRequest.WEBSOCKET);
    }

    /** Returns the octets of the field lines, as the bound on them counts. */
    static int blockOctets(SectionLines lines) {
        int sum = 0;
        for (int i = 0; i < lines.count(); i++) {
            AsciiString name = lines.name(i);
            // no count of fields bounds the crumbs of a cookie
            int more = name.equals(COOKIE) ? CRUMB_OCTETS : 2;
            sum += name.byteAt(0) == ':'
                    ? 0
                    : name.length() + more + lines.value(i).length();
        }
        return sum;
    }

    // as RFC 9112 3.2 has it: never decoded or normalised; what may not stand in a target is refused
    private boolean isTarget() {
        AsciiString target = path;
        AsciiString by = scheme;
        if (target == null || by == null || !isWeb(by)) {
            return false;
        }
        for (int i = 0; i < target.length(); i++) {
            byte octet = target.byteAt(i);
            if (octet <= ' ' || octet == 0x7f || octet == '#') {
                return false;
            }
        }
        boolean asterisk = target.length() == 1 && target.byteAt(0) == '*';
        return target.byteAt(0) == '/' || asterisk && method != null && method.contentEquals("OPTIONS");
    }

    private static boolean isWeb(AsciiString scheme) {
        int from = scheme.arrayOffset();
        int to = from + scheme.length();
        return Octets.equalsIgnoreCase(scheme.array(), from, to, HTTP)
                || Octets.equalsIgnoreCase(scheme.array(), from, to, HTTPS);
    }

    // RFC 9113 8.3.1: a Host beside :authority must name the same
    private @Nullable Rule hostRule() {
        if (host != null && !isAuthority(host, false) || authority != null && !isAuthority(authority, false)) {
            return Rule.HOST_INVALID;
        }
        if (host == null) {
            return authority == null ? Rule.HOST_MISSING : null;
        }
        return authority == null || authority.contentEqualsIgnoreCase(host) ? null : Rule.HOST_DIFFERS;
    }

    private static boolean isAuthority(@Nullable AsciiString value, boolean withPort) {
        if (value == null) {
            return false;
        }
        int from = value.arrayOffset();
        int to = from + value.length();
        return withPort ? Authority.hasPort(value.array(), from, to) : Authority.isValid(value.array(), from, to);
    }

    /** Returns the rule that the names of a section break together, null for none. */
    static @Nullable Rule namesRule(SectionLines lines, ListenerConfig config) {
        int hidden = 0;
        for (int i = 0; i < lines.count(); i++) {
            AsciiString name = lines.name(i);
            if (FieldRules.hasUnderscore(name)) {
                int from = name.arrayOffset();
                if (config.headers().underscores() == Underscores.REJECT
                        || UnderscoredNames.isConfusable(name.array(), from, from + name.length())) {
                    return Rule.UNDERSCORE;
                }
            }
            hidden |= FieldRules.hiddenBody(name);
        }
        // some would take eight octets behind the head for its body
        return hidden == FieldRules.HIDDEN_BODY ? Rule.HIDDEN_BODY : null;
    }

    // ---- the head

    private FrontendRequest make(SectionLines lines, boolean ends) {
        AsciiString whom = known(authority == null ? host : authority);
        int total = SPARE_OCTETS + HOST.length() + whom.length() + FieldRules.FRAME_OCTETS;
        int count = 0;
        for (int i = 0; i < lines.count(); i++) {
            if (isPassedOn(lines.name(i), config)) {
                count++;
                total += lines.name(i).length() + lines.value(i).length() + FieldRules.FRAME_OCTETS;
            }
        }
        RequestFields made = new RequestFields(new byte[total + cookieOctets], count);
        made.add(HOST, whom);
        boolean cookieDone = false;
        for (int i = 0; i < lines.count(); i++) {
            AsciiString name = lines.name(i);
            if (name.equals(COOKIE)) {
                if (!cookieDone) {
                    cookieDone = true;
                    made.addJoined(COOKIE, lines, cookies);
                }
            } else if (isPassedOn(name, config)) {
                made.add(name, lines.value(i));
            }
        }
        AsciiString asked = known(method);
        int from = asked.arrayOffset();
        boolean webSocket = isWebSocket();
        return new FrontendRequest(
                webSocket ? "GET" : Methods.of(asked.array(), from, from + asked.length()),
                target(known(path)),
                FieldRules.octets(whom),
                made.seal(),
                ends || webSocket ? BodyLength.NONE : length == 0 ? BodyLength.EMPTY : length,
                takesTrailers,
                webSocket);
    }

    private static AsciiString known(@Nullable AsciiString judged) {
        if (judged == null) {
            throw new IllegalStateException("not judged");
        }
        return judged;
    }

    private static Octets target(AsciiString path) {
        return path.length() == 1 && path.byteAt(0) == '*' ? ASTERISK : FieldRules.octets(path);
    }

    /** Returns whether a line goes on as it is. */
    static boolean isPassedOn(AsciiString name, ListenerConfig config) {
        return name.byteAt(0) != ':'
                && !name.equals(HOST)
                && !name.equals(FieldRules.TE)
                && !(config.headers().underscores() == Underscores.DROP && FieldRules.hasUnderscore(name));
    }
}

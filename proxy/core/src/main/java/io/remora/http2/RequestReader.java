package io.remora.http2;

import io.remora.config.model.HeaderPolicy.Underscores;
import io.remora.config.model.ListenerConfig;
import io.remora.http.Authority;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.Methods;
import io.remora.http.Octets;
import io.remora.http.RequestHead;
import io.remora.http.Rule;
import io.remora.http.UnderscoredNames;
import io.remora.http2.hpack.FieldSection;
import io.remora.http2.hpack.LineFacts;
import org.jspecify.annotations.Nullable;

/**
 * Turns a header section into an exchange's head, and judges it by the rules that hold for HTTP/1 too. A section that
 * breaks a rule about messages of HTTP/2 is malformed; one that is only no good request has a {@link Failure}.
 *
 * <p>Owner: one event loop; reads one section after the other. Spec: RFC 9113 sections 8.2 and 8.3.
 */
final class RequestReader {
    private static final byte[] HOST = Octets.of("host").array;
    private static final byte[] COOKIE = Octets.of("cookie").array;
    private static final byte[] HTTP = Octets.of("http").array;
    private static final byte[] HTTPS = Octets.of("https").array;
    private static final byte[] WEBSOCKET = Octets.of(FrontendRequest.WEBSOCKET).array;
    private static final Octets ASTERISK = Octets.of("*");
    private static final Octets NOWHERE = Octets.of("-");
    /** The cost of a line beyond its octets (RFC 9113 6.5.2). */
    private static final int CRUMB_OCTETS = 32;

    /** The place of a line that is not there. */
    private static final int NONE = -1;

    private static final int BOTH_KEYS = 3;

    private final ListenerConfig config;
    private final int addedLines;
    private final int addedOctets;
    private final FieldSection section;
    private boolean malformed;
    private @Nullable Failure failure;
    private @Nullable Rule rule;

    // ---- the places of lines

    private int method = NONE;
    private int scheme = NONE;
    private int authority = NONE;
    private int path = NONE;
    private int protocol = NONE;
    private int host = NONE;

    private long length;
    private int octets;
    private int cookies;
    private int fields;
    private int blockOctets;
    private boolean takesTrailers;

    /**
     * @param addedLines that the stages of the listener add to those that are usually added
     * @param addedOctets of these lines
     */
    RequestReader(ListenerConfig config, int addedLines, int addedOctets, FieldSection section) {
        this.config = config;
        this.addedLines = addedLines;
        this.addedOctets = addedOctets;
        this.section = section;
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
     * Reads the whole section.
     *
     * @param ends whether the request has no body
     * @return what stands in for it where it is malformed or has a failure
     */
    FrontendRequest read(boolean ends) {
        boolean pseudo = true;
        for (int i = 0; i < section.count() && !malformed; i++) {
            int facts = section.facts(i);
            boolean isPseudo = LineFacts.isPseudo(facts);
            // RFC 9113 8.3: all of them before the first field
            boolean late = isPseudo && !pseudo;
            pseudo &= isPseudo;
            if (late || (facts & LineFacts.BAD_VALUE) != 0) {
                malformed = !breaks(late ? Rule.PSEUDO_FIELD : Rule.FIELD_VALUE);
            } else {
                malformed = isPseudo ? !pseudoField(i) : !field(i, facts, ends);
            }
        }
        if (!malformed && !isRequest()) {
            malformed = !breaks(Rule.PSEUDO_FIELD);
        }
        if (!malformed) {
            judge();
        }
        return malformed || failure != null ? partial() : make(ends);
    }

    /** Returns a stand-in for a request that cannot be read. */
    static FrontendRequest unreadable() {
        return new FrontendRequest("-", NOWHERE, Octets.of(""), new Fields(), BodyLength.NONE, false, false, 0);
    }

    // with what could be read of it, for the log
    private FrontendRequest partial() {
        int whom = authority == NONE ? host : authority;
        return new FrontendRequest(
                PartialRequest.method(section, method),
                path == NONE ? NOWHERE : PartialRequest.cut(section, path),
                whom == NONE ? Octets.of("") : PartialRequest.cut(section, whom),
                PartialRequest.logged(section),
                BodyLength.NONE,
                false,
                false,
                0);
    }

    // ---- line by line

    private boolean pseudoField(int line) {
        octets += FieldRules.valueLength(section, line);
        return isPseudoField(line) || breaks(Rule.PSEUDO_FIELD);
    }

    private boolean isPseudoField(int line) {
        int before;
        boolean valid = true;
        switch (FieldRules.name(section, line)) {
            case LineFacts.METHOD -> {
                before = method;
                method = line;
                valid = FieldRules.isToken(section, line);
            }
            case LineFacts.PATH -> {
                before = path;
                path = line;
                valid = !FieldRules.isEmpty(section, line);
            }
            case LineFacts.SCHEME -> {
                before = scheme;
                scheme = line;
                valid = !FieldRules.isEmpty(section, line);
            }
            case LineFacts.PROTOCOL -> {
                before = protocol;
                protocol = line;
                valid = FieldRules.isToken(section, line);
            }
            case LineFacts.AUTHORITY -> {
                before = authority;
                authority = line;
            }
            default -> before = line;
        }
        return before == NONE && valid;
    }

    private boolean field(int line, int facts, boolean ends) {
        int name = facts & LineFacts.NAME;
        // RFC 9113 8.2.3: all cookies are one field
        fields += name == LineFacts.COOKIE && cookies > 0 ? 0 : 1;
        if ((facts & LineFacts.BAD_NAME) != 0) {
            return breaks(Rule.FIELD_NAME);
        }
        switch (name) {
            case LineFacts.CONNECTION -> {
                return breaks(Rule.CONNECTION_FIELD);
            }
            case LineFacts.TE -> {
                takesTrailers = FieldRules.takesTrailers(section, line);
                return takesTrailers || breaks(Rule.CONNECTION_FIELD);
            }
            case LineFacts.HOST -> {
                if (host != NONE) {
                    failure = bad(Rule.HOST_REPEATED);
                }
                host = line;
            }
            case LineFacts.COOKIE -> cookies++;
            case LineFacts.CONTENT_LENGTH -> {
                return contentLength(line, ends);
            }
            default -> {}
        }
        return true;
    }

    // RFC 9113 8.1.1; what comes is counted against it as it comes
    private boolean contentLength(int line, boolean ends) {
        byte[] array = section.array();
        int from = section.valueStart(line);
        int to = section.valueEnd(line);
        boolean plain = to - from == 1 || from < to && array[from] != '0';
        boolean first = length == BodyLength.UNKNOWN;
        length = Octets.decimal(array, from, to);
        boolean valid = first && plain && length >= 0;
        return valid && (!ends || length == 0) || breaks(valid ? Rule.LENGTH_DIFFERS : Rule.LENGTH);
    }

    private boolean isConnect() {
        return method != NONE && FieldRules.isValue(section, method, "CONNECT");
    }

    private boolean isRequest() {
        if (protocol != NONE) {
            // RFC 8441 4
            return isConnect() && scheme != NONE && path != NONE && authority != NONE;
        }
        if (isConnect()) {
            // RFC 9113 8.5
            return scheme == NONE && path == NONE && authority != NONE;
        }
        return method != NONE && scheme != NONE && path != NONE;
    }

    // ---- as a whole

    private void judge() {
        blockOctets = blockOctets(section);
        if (octets > config.limits().requestLineBytes()) {
            rule = Rule.LINE_TOO_LONG;
            failure = Failure.TARGET_TOO_LONG;
        } else if (fields > config.limits().headerFields()
                || blockOctets > config.limits().headerBlockBytes()) {
            rule = fields > config.limits().headerFields() ? Rule.TOO_MANY_FIELDS : Rule.FIELDS_TOO_LARGE;
            failure = Failure.HEADERS_TOO_LARGE;
        } else if (isConnect() && !isWebSocket()) {
            failure = isAuthority(authority, protocol == NONE) ? Failure.CONNECT_REFUSED : bad(Rule.CONNECT_PORT);
        } else if (isWebSocket() && length != BodyLength.UNKNOWN) {
            // RFC 9110 9.3.6: it has no content, and nobody is to take what follows for one
            failure = bad(Rule.CONTENT_OF_CONNECT);
        } else if (failure == null) {
            Rule broken = !isTarget() ? Rule.TARGET : hostRule() == null ? namesRule(section, config) : hostRule();
            failure = broken == null ? null : bad(broken);
        }
    }

    private boolean isWebSocket() {
        return protocol != NONE && FieldRules.isValueIgnoreCase(section, protocol, WEBSOCKET);
    }

    /** Returns the octets of the field lines, as the bound on them counts. */
    static int blockOctets(FieldSection section) {
        int sum = 0;
        for (int i = 0; i < section.count(); i++) {
            int facts = section.facts(i);
            if (!LineFacts.isPseudo(facts)) {
                // no count of fields bounds the crumbs of a cookie
                int more = (facts & LineFacts.NAME) == LineFacts.COOKIE ? CRUMB_OCTETS : 2;
                sum += section.valueEnd(i) - section.nameStart(i) - 2 + more;
            }
        }
        return sum;
    }

    // as RFC 9112 3.2 has it: never decoded or normalised; what may not stand in a target is refused
    private boolean isTarget() {
        if (path == NONE || scheme == NONE || !isWeb()) {
            return false;
        }
        byte[] array = section.array();
        int from = section.valueStart(path);
        int to = section.valueEnd(path);
        for (int i = from; i < to; i++) {
            byte octet = array[i];
            if (octet <= ' ' || octet == 0x7f || octet == '#') {
                return false;
            }
        }
        boolean options = isAsterisk() && method != NONE && FieldRules.isValue(section, method, "OPTIONS");
        return array[from] == '/' || options;
    }

    private boolean isAsterisk() {
        return FieldRules.isValue(section, path, "*");
    }

    private boolean isWeb() {
        return FieldRules.isValueIgnoreCase(section, scheme, HTTP)
                || FieldRules.isValueIgnoreCase(section, scheme, HTTPS);
    }

    // RFC 9113 8.3.1: a Host beside :authority must name the same
    private @Nullable Rule hostRule() {
        if (host != NONE && !isAuthority(host, false) || authority != NONE && !isAuthority(authority, false)) {
            return Rule.HOST_INVALID;
        }
        if (host == NONE) {
            return authority == NONE ? Rule.HOST_MISSING : null;
        }
        return authority == NONE || FieldRules.isSame(section, host, authority) ? null : Rule.HOST_DIFFERS;
    }

    private boolean isAuthority(int line, boolean withPort) {
        if (line == NONE) {
            return false;
        }
        int from = section.valueStart(line);
        int to = section.valueEnd(line);
        return withPort ? Authority.hasPort(section.array(), from, to) : Authority.isValid(section.array(), from, to);
    }

    /** Returns the rule that the names of a section break together, null for none. */
    static @Nullable Rule namesRule(FieldSection section, ListenerConfig config) {
        int hidden = 0;
        for (int i = 0; i < section.count(); i++) {
            int facts = section.facts(i);
            if ((facts & LineFacts.UNDERSCORE) != 0
                    && (config.headers().underscores() == Underscores.REJECT
                            || UnderscoredNames.isConfusable(
                                    section.array(), section.nameStart(i), section.nameEnd(i)))) {
                return Rule.UNDERSCORE;
            }
            int name = facts & LineFacts.NAME;
            hidden |= name == LineFacts.WEBSOCKET_KEY1 ? 1 : name == LineFacts.WEBSOCKET_KEY2 ? 2 : 0;
        }
        // some would take eight octets behind the head for its body
        return hidden == BOTH_KEYS ? Rule.HIDDEN_BODY : null;
    }

    // ---- the head

    private FrontendRequest make(boolean ends) {
        int whom = authority == NONE ? host : authority;
        int lines = section.count();
        // a line of Host needs no more than :authority does, nor a target than :path
        int size = section.valueEnd(lines - 1) + 2 + RequestHead.SPARE_OCTETS + addedOctets;
        RequestFields made = new RequestFields(section, new byte[size], lines + addedLines);
        Octets target = isAsterisk() ? ASTERISK : made.value(path);
        Octets authorityOctets = made.add(HOST, whom);
        boolean cookieDone = false;
        for (int i = 0; i < lines; i++) {
            if (FieldRules.name(section, i) != LineFacts.COOKIE) {
                if (isPassedOn(section, i, config)) {
                    made.add(i);
                }
            } else if (!cookieDone) {
                cookieDone = true;
                made.addCookies(COOKIE, cookies);
            }
        }
        boolean webSocket = isWebSocket();
        return new FrontendRequest(
                webSocket ? "GET" : Methods.of(section.array(), section.valueStart(method), section.valueEnd(method)),
                target,
                authorityOctets,
                made.seal(),
                ends || webSocket ? BodyLength.NONE : length == 0 ? BodyLength.EMPTY : length,
                takesTrailers,
                webSocket,
                neverIndexed(method) | neverIndexed(path));
    }

    private int neverIndexed(int line) {
        boolean never = line != NONE && (section.facts(line) & LineFacts.NEVER_INDEXED) != 0;
        return never ? 1 << FieldRules.name(section, line) : 0;
    }

    /** Returns whether a line goes on as it is. */
    static boolean isPassedOn(FieldSection section, int line, ListenerConfig config) {
        int facts = section.facts(line);
        int name = facts & LineFacts.NAME;
        boolean dropped =
                (facts & LineFacts.UNDERSCORE) != 0 && config.headers().underscores() == Underscores.DROP;
        return !LineFacts.isPseudo(facts) && name != LineFacts.HOST && name != LineFacts.TE && !dropped;
    }
}

package io.remora.http1.oracle;

import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import org.jspecify.annotations.Nullable;

/**
 * The rules an HTTP/1 request's head must keep beyond what its decoder checks, in the order in which they are judged.
 *
 * <p>The strict side everywhere: where an RFC says that a server may accept, this refuses, because every message is
 * written anew and leniency could only add a second meaning to it.
 *
 * <p>Spec: RFC 9112 sections 2.3, 3.2, 6.1 and 6.3; RFC 9110 section 7.2.
 */
public final class RequestRules {
    private RequestRules() {}

    /**
     * @param http11 whether the request's version is 1.1; it is 1.0 otherwise
     * @param target already parsed, null where it is not valid
     * @return what is wrong, null for nothing
     */
    public static @Nullable Failure judge(
            HttpMethod method, String rawTarget, @Nullable RequestTarget target, RequestFacts facts, boolean http11) {
        if (HttpMethod.CONNECT.equals(method)) {
            return HostField.hasPort(rawTarget) ? Failure.CONNECT_REFUSED : Failure.BAD_REQUEST;
        }
        if (target == null || !isHostValid(facts, http11) || hasHiddenBody(facts)) {
            return Failure.BAD_REQUEST;
        }
        return isLengthPlain(facts.contentLength) ? judgeTransferCoding(facts, http11) : Failure.BAD_REQUEST;
    }

    // RFC 9110 8.6: a leading zero is octal to some
    private static boolean isLengthPlain(@Nullable CharSequence length) {
        return length == null || length.length() == 1 || length.charAt(0) != '0';
    }

    private static boolean isHostValid(RequestFacts facts, boolean http11) {
        CharSequence host = facts.host;
        if (host == null) {
            return !http11;
        }
        return facts.hosts == 1 && HostField.isValid(host);
    }

    // Netty's decoder takes eight bytes as the body of a GET with both keys of the withdrawn WebSocket draft 76 and no
    // length
    private static boolean hasHiddenBody(RequestFacts facts) {
        return facts.hixieKey1 && facts.hixieKey2;
    }

    private static @Nullable Failure judgeTransferCoding(RequestFacts facts, boolean http11) {
        CharSequence coding = facts.transferEncoding;
        if (coding == null) {
            return null;
        }
        if (!http11 || facts.contentLength != null || facts.transferEncodings > 1) {
            return Failure.BAD_REQUEST;
        }
        return Names.CHUNKED.contentEqualsIgnoreCase(coding) ? null : Failure.UNKNOWN_TRANSFER_CODING;
    }

    /**
     * The length of the body that a request's framing declares.
     *
     * @param fields already judged by the decoder: at most one Content-Length, of digits
     */
    public static long bodyLength(RequestFacts facts, HttpHeaders fields) {
        if (facts.transferEncoding != null) {
            return BodyLength.UNKNOWN;
        }
        return facts.contentLength != null ? contentLength(fields) : BodyLength.NONE;
    }

    static long contentLength(HttpHeaders fields) {
        String value = fields.get(Names.CONTENT_LENGTH);
        return value == null ? BodyLength.NONE : Long.parseLong(value);
    }
}

package io.remora.http1.oracle;

import io.netty.handler.codec.http.HttpHeaders;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import org.jspecify.annotations.Nullable;

/**
 * The rules a backend's HTTP/1 response head must keep beyond what its decoder checks.
 *
 * <p>Spec: RFC 9112 sections 6.1 to 6.3; RFC 9110 sections 7.8, 8.6 and 15.
 */
public final class ResponseRules {
    private ResponseRules() {}

    /**
     * @param status of the response
     * @param switching whether the request asked for a protocol that a 101 may grant
     * @return what is wrong, null for nothing
     */
    public static @Nullable Failure judge(int status, HttpHeaders fields, boolean switching) {
        if (status < 100 || status > 999) {
            return Failure.BAD_RESPONSE;
        }
        if (status == 101 && !(switching && Upgrade.isAccepted(fields))) {
            return Failure.BAD_RESPONSE;
        }
        return isTransferCodingKnown(fields) ? null : Failure.BAD_RESPONSE;
    }

    private static boolean isTransferCodingKnown(HttpHeaders fields) {
        String coding = fields.get(Names.TRANSFER_ENCODING);
        return coding == null
                || Names.CHUNKED.contentEqualsIgnoreCase(coding)
                        && fields.getAll(Names.TRANSFER_ENCODING).size() == 1;
    }

    /** Writes a Content-Length without leading zeros, which not everyone reads alike. To be called once judged. */
    public static void normalizeLength(HttpHeaders fields) {
        String length = fields.get(Names.CONTENT_LENGTH);
        if (length != null && length.length() > 1 && length.charAt(0) == '0') {
            fields.set(Names.CONTENT_LENGTH, Long.toString(RequestRules.contentLength(fields)));
        }
    }

    /**
     * The length of a response's body.
     *
     * @param toHead whether the request was a HEAD
     */
    public static long bodyLength(int status, HttpHeaders fields, boolean toHead) {
        if (toHead || io.remora.http.ResponseHead.neverHasBody(status)) {
            return BodyLength.NONE;
        }
        if (fields.contains(Names.TRANSFER_ENCODING) || !fields.contains(Names.CONTENT_LENGTH)) {
            return BodyLength.UNKNOWN;
        }
        return RequestRules.contentLength(fields);
    }
}

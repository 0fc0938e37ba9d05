package io.remora.feature.answer;

import io.remora.exchange.StagedRequest;
import io.remora.http.Authority;
import io.remora.http.Failure;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.http.PathRewrite;
import io.remora.http.RequestHead;
import io.remora.http.Rule;
import io.remora.text.Ascii;
import org.jspecify.annotations.Nullable;

/**
 * Redirect that a route answers with. Immutable.
 *
 * <p>Spec: RFC 9110 sections 10.2.2 and 15.4. Location is always absolute, so that no path of a client's can pass for another host.
 */
final class RedirectAnswer {
    private static final FieldName LOCATION = FieldName.of("Location");
    private static final String HTTPS = "https";
    private static final int HTTPS_PORT = 443;
    private static final int HTTP_PORT = 80;
    /** Characters of a URI besides letters and digits; encoded ones stay encoded. */
    private static final String URI_CHARS = "-._~:/?@!$&'()*+,;=%";

    private static final String HEX = "0123456789ABCDEF";

    private final RedirectConfig redirect;
    private final @Nullable PathRewrite path;

    RedirectAnswer(RedirectConfig redirect, @Nullable PathRewrite path) {
        this.redirect = redirect;
        this.path = path;
    }

    void give(StagedRequest exchange) {
        Octets matched = exchange.head().sentTarget();
        Octets target = path == null ? matched : path.apply(matched);
        if (target == null) {
            exchange.fail(Failure.BAD_PATH, Rule.PATH_DOTS);
            return;
        }
        Fields fields = new Fields();
        fields.add(LOCATION, location(redirect, exchange, target));
        exchange.respond(redirect.status(), fields, null);
    }

    private static String location(RedirectConfig redirect, StagedRequest exchange, Octets target) {
        RequestHead head = exchange.head();
        String came = exchange.scheme();
        String scheme = redirect.scheme() == null ? came : redirect.scheme();
        boolean stays = redirect.host() == null && scheme.equals(came);
        int byDefault = scheme.equals(HTTPS) ? HTTPS_PORT : HTTP_PORT;
        int port = redirect.port() > 0 ? redirect.port() : byDefault;
        if (redirect.port() == 0 && stays) {
            port = Authority.portOf(head.authority, byDefault);
        }
        StringBuilder location = new StringBuilder(scheme).append("://");
        location.append(redirect.host() == null ? Authority.hostOf(head.authority) : redirect.host());
        if (port != byDefault) {
            location.append(':').append(port);
        }
        if (target.array[target.start] == '/') {
            append(location, target, redirect.stripQuery());
        }
        return location.toString();
    }

    private static void append(StringBuilder location, Octets target, boolean stripQuery) {
        for (int i = target.start; i < target.end; i++) {
            char c = (char) (target.array[i] & 0xff);
            if (c == '?' && stripQuery) {
                return;
            }
            if (c < 0x80 && Ascii.isAlphanumeric(c) || URI_CHARS.indexOf(c) >= 0) {
                location.append(c);
            } else {
                location.append('%').append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 15));
            }
        }
    }
}

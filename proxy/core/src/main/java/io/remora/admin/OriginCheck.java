package io.remora.admin;

import io.remora.http.FieldName;
import io.remora.http1.WholeRequests;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests of web pages other than the dashboard: those of another origin, and those that change something
 * without the token that only the dashboard has. Pure functions. Order: the host was checked before, so that a page under
 * a name of its own has no origin that passes here.
 *
 * <p>Spec: RFC 6454 sections 6 and 7; Fetch Metadata Request Headers.
 */
final class OriginCheck {
    /** Field with the token of the page. */
    static final FieldName TOKEN = FieldName.of("Remora-Token");

    private static final FieldName ORIGIN = FieldName.of("Origin");
    private static final FieldName SITE = FieldName.of("Sec-Fetch-Site");

    private OriginCheck() {}

    /** Returns whether the request may be read by the page that sent it, or comes from no page. */
    static boolean isOwn(WholeRequests request, String scheme) {
        List<String> origins = request.fields().getAll(ORIGIN);
        List<String> sites = request.fields().getAll(SITE);
        boolean sameSite = sites.isEmpty() || sites.equals(List.of("same-origin")) || sites.equals(List.of("none"));
        return sameSite && (origins.isEmpty() || origins.equals(List.of(origin(request, scheme))));
    }

    /**
     * Returns the reply that refuses a request with an Origin field which changes something; null for one of the
     * dashboard.
     *
     * @param token that the page has; empty where no page has one
     */
    static @Nullable Reply refuse(WholeRequests request, String scheme, String token) {
        if (request.fields().get(ORIGIN) == null || !isOwn(request, scheme)) {
            return Reply.text(403, "requests from other web pages are not allowed\n");
        }
        List<String> tokens = request.fields().getAll(TOKEN);
        if (token.isEmpty() || tokens.size() != 1 || !equal(tokens.get(0), token)) {
            return Reply.text(403, "the token is not that of the dashboard; load the page again\n");
        }
        return null;
    }

    /** The origin of a page that the browser has from here. A browser leaves out the port of the scheme in Host as well. */
    private static String origin(WholeRequests request, String scheme) {
        return scheme + "://" + request.fields().get(FieldName.HOST);
    }

    /** Compares in a time that does not depend on the place of a difference. */
    private static boolean equal(String given, String token) {
        return MessageDigest.isEqual(
                given.getBytes(StandardCharsets.ISO_8859_1), token.getBytes(StandardCharsets.ISO_8859_1));
    }
}

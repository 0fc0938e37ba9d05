package io.remora.http;

import io.remora.text.PathSpelling;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the path that a route matches by another one. Immutable. Loaded only where that happens.
 *
 * <p>The rest of a client's path goes on as it came, octet by octet, and so does the query. It cannot lead out of the
 * path before it: a dot segment in any spelling that some server decodes is refused. Neither does a result begin with
 * two slashes, which some take for the name of a host.
 *
 * <p>Spec: RFC 3986 sections 3.3 and 5.2.4.
 */
public final class PathRewrite {
    /** Octets of the path that a request has been matched by, without the slash at its end; all of them where it is exact. */
    private final int matched;

    private final boolean exact;
    /** The path where nothing follows. */
    private final byte[] alone;
    /** Octets of {@link #alone} that go before the rest. */
    private final int before;

    /**
     * @param matched the prefix, or all of the path; empty for a prefix that every path has
     * @param replacement a valid path
     */
    public PathRewrite(String matched, boolean exact, String replacement) {
        this.matched = matched.endsWith("/") ? matched.length() - 1 : matched.length();
        this.exact = exact;
        this.alone = Octets.of(replacement).array;
        this.before = replacement.endsWith("/") ? alone.length - 1 : alone.length;
    }

    /**
     * The target with the other path; as it is where it has none. Null where the rest of the path must not go on.
     *
     * @param target whose path has been matched
     */
    public @Nullable Octets apply(Octets target) {
        byte[] octets = target.array;
        if (target.length() == 0 || octets[target.start] != '/') {
            // the asterisk of OPTIONS
            return target;
        }
        int query = RequestHead.endOfPath(target);
        int rest = exact ? query : Math.min(query, target.start + matched);
        if (PathSpelling.hasDots(octets, rest, query)) {
            return null;
        }
        boolean whole = rest == query;
        int length = whole ? alone.length : before;
        if (length == 0) {
            while (rest + 1 < query && octets[rest + 1] == '/') {
                rest++;
            }
        }
        byte[] rewritten = new byte[length + target.end - rest];
        System.arraycopy(alone, 0, rewritten, 0, length);
        System.arraycopy(octets, rest, rewritten, length, target.end - rest);
        return Octets.of(rewritten);
    }
}

package io.remora.route;

import io.remora.config.model.PathConfig;
import io.remora.config.model.PathConfig.Mode;
import io.remora.config.model.PathConfig.Separator;
import io.remora.config.model.RouteConfig;
import io.remora.http.Octets;
import io.remora.http.RequestHead;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The paths that the routes of a listener match, by their octets. Immutable.
 *
 * <p>Cost: no allocation.
 */
final class PathTable {
    /** Exact paths by route, null for any. */
    private final @Nullable Octets[] exact;

    private final @Nullable Octets[] prefixes;
    /** Set if any route looks at paths; {@link #isDivided} if one takes some of them and not others. */
    private final boolean isRead;

    private final boolean isDivided;
    /** Set if it matters that a path has another spelling. */
    private final boolean isJudged;

    private final boolean refusesSemicolon;
    private final boolean refusesDoubleSlash;

    PathTable(RouteConfig[] routes, PathConfig config) {
        this.exact = new Octets[routes.length];
        this.prefixes = new Octets[routes.length];
        boolean any = false;
        boolean some = false;
        for (int i = 0; i < routes.length; i++) {
            String path = routes[i].match().path();
            String prefix = routes[i].match().pathPrefix();
            exact[i] = path == null ? null : Octets.of(path);
            prefixes[i] = prefix == null ? null : Octets.of(prefix);
            any |= path != null || prefix != null;
            some |= path != null || prefix != null && !prefix.equals("/");
        }
        // the class of what is refused is not loaded where nothing is
        boolean refuses = !config.refused().isEmpty();
        this.isRead = any;
        this.isDivided = some;
        this.isJudged = refuses || config.mode() != Mode.AS_SENT && (config.mode() != Mode.BOTH || some);
        this.refusesSemicolon = refuses && config.refused().contains(Separator.SEMICOLON);
        this.refusesDoubleSlash = refuses && config.refused().contains(Separator.DOUBLE_SLASH);
    }

    /** Tells if some paths take another route than others. */
    boolean isDivided() {
        return isDivided;
    }

    /** Returns where the path of a target ends, -1 where it may have another spelling and that matters. */
    int endOfPlain(Octets target) {
        if (!isJudged) {
            return isRead ? RequestHead.endOfPath(target) : target.end;
        }
        byte[] octets = target.array;
        byte before = 0;
        int at = target.start;
        for (; at < target.end && octets[at] != '?'; at++) {
            byte octet = octets[at];
            if (octet == '%'
                    || octet == '\\'
                    || before == '/' && (octet == '.' || octet == '/' && refusesDoubleSlash)
                    || octet == ';' && refusesSemicolon) {
                return -1;
            }
            before = octet;
        }
        return at;
    }

    boolean matches(int route, byte[] octets, int from, int to) {
        Octets whole = exact[route];
        Octets prefix = prefixes[route];
        return (whole == null || Arrays.equals(whole.array, 0, whole.end, octets, from, to))
                && (prefix == null || begins(prefix.array, octets, from, to));
    }

    // on segment boundaries
    private static boolean begins(byte[] prefix, byte[] octets, int from, int to) {
        int behind = from + prefix.length;
        return behind <= to
                && Arrays.equals(prefix, 0, prefix.length, octets, from, behind)
                && (behind == to || prefix[prefix.length - 1] == '/' || octets[behind] == '/');
    }
}

package io.remora.feature.rewrite;

import io.remora.config.model.Options;
import io.remora.config.model.RouteConfig;
import io.remora.config.model.RouteMatch;
import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;
import io.remora.feature.ReplacedPath;
import io.remora.http.Failure;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.http.PathRewrite;
import io.remora.http.Rule;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Applies a route's changes to a request: the path, the host and the fields that the endpoint sees, and the fields that
 * the client sees.
 */
final class RewriteRequest extends Stage {
    /** Changes by the route of the exchange, which is another one for each of several clusters. */
    private final IdentityHashMap<RouteConfig, Changes> changes = new IdentityHashMap<>();

    RewriteRequest(List<RouteConfig> routes) {
        for (RouteConfig route : routes) {
            if (route.has(RewriteConfig.REWRITE, HeaderConfig.REQUEST, HeaderConfig.RESPONSE)) {
                Changes of = new Changes(route.match(), route.options());
                changes.put(route, of);
                for (RouteConfig chosen : route.choices()) {
                    changes.put(chosen, of);
                }
            }
        }
    }

    @Override
    public boolean pass(StagedRequest exchange) {
        Changes of = changes.get(exchange.route());
        return of == null || of.pass(exchange);
    }

    @Override
    public int addedLines() {
        int most = 0;
        for (Changes of : changes.values()) {
            most = Math.max(most, of.addedLines());
        }
        return most;
    }

    @Override
    public int addedOctets() {
        int most = 0;
        for (Changes of : changes.values()) {
            most = Math.max(most, of.addedOctets());
        }
        return most;
    }

    /** Changes of one route. */
    private static final class Changes {
        private final @Nullable PathRewrite path;
        private final @Nullable Octets host;
        private final @Nullable FieldEdits request;
        private final @Nullable FieldEdits response;

        Changes(RouteMatch match, Options options) {
            RewriteConfig rewrite = options.get(RewriteConfig.REWRITE);
            this.path = rewrite == null ? null : ReplacedPath.of(match, rewrite.prefix());
            this.host = rewrite == null || rewrite.host() == null ? null : Octets.of(rewrite.host());
            this.request = edits(options.get(HeaderConfig.REQUEST));
            this.response = edits(options.get(HeaderConfig.RESPONSE));
        }

        private static @Nullable FieldEdits edits(@Nullable HeaderConfig headers) {
            return headers == null ? null : new FieldEdits(headers.edits());
        }

        int addedLines() {
            // a line that replaces another one stands next to it for a moment
            return (host == null ? 0 : 1) + (request == null ? 0 : request.lines());
        }

        int addedOctets() {
            return (host == null ? 0 : FieldName.HOST.length() + Fields.FRAME_OCTETS + host.length())
                    + (request == null ? 0 : request.octets());
        }

        boolean pass(StagedRequest exchange) {
            if (response != null) {
                exchange.join(new ResponseEdits(exchange, response));
            }
            if (path != null) {
                Octets rewritten = path.apply(exchange.head().sentTarget());
                if (rewritten == null) {
                    exchange.fail(Failure.BAD_PATH, Rule.PATH_DOTS);
                    return false;
                }
                exchange.head().sendTarget(rewritten);
            }
            if (request != null) {
                request.apply(exchange.head().fields, exchange);
            }
            if (host != null) {
                exchange.head().sendAuthority(host);
            }
            return true;
        }
    }
}

package io.remora.stages;

import io.remora.config.model.AnswerConfig;
import io.remora.config.model.FieldEdit;
import io.remora.config.model.Options;
import io.remora.config.model.RewriteConfig;
import io.remora.config.model.RouteConfig;
import io.remora.config.model.RouteMatch;
import io.remora.config.model.SplitConfig;
import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;
import io.remora.http.Failure;
import io.remora.http.Octets;
import io.remora.http.PathRewrite;
import io.remora.http.Rule;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Applies a route's actions to a request: answers it, or changes the path, the host and the fields that the endpoint
 * sees, and the fields that the client sees.
 */
public final class ActOnRoute extends Stage {
    /** Actions by the route of the exchange, which is another one for each of several clusters. */
    private final IdentityHashMap<RouteConfig, Acts> acts = new IdentityHashMap<>();

    public ActOnRoute(List<RouteConfig> routes) {
        for (RouteConfig route : routes) {
            if (route.acts()) {
                Acts of = new Acts(route.match(), route.options());
                acts.put(route, of);
                SplitConfig split = route.split();
                for (RouteConfig chosen : split == null ? List.<RouteConfig>of() : split.routes()) {
                    acts.put(chosen, of);
                }
            }
        }
    }

    @Override
    public boolean pass(StagedRequest exchange) {
        Acts of = acts.get(exchange.route());
        return of == null || of.pass(exchange);
    }

    /** Actions of one route. */
    private static final class Acts {
        private final @Nullable RouteAnswer answer;
        private final @Nullable PathRewrite path;
        private final @Nullable Octets host;
        private final @Nullable FieldEdits request;
        private final @Nullable FieldEdits response;

        Acts(RouteMatch match, Options options) {
            AnswerConfig asked = options.get(RouteConfig.ANSWER);
            RewriteConfig rewrite = options.get(RouteConfig.REWRITE);
            List<FieldEdit> edits = options.get(RouteConfig.REQUEST_HEADERS);
            List<FieldEdit> answers = options.get(RouteConfig.RESPONSE_HEADERS);
            this.path = rewrite == null ? null : path(match, rewrite.prefix());
            this.host = rewrite == null || rewrite.host() == null ? null : Octets.of(rewrite.host());
            this.answer = asked == null ? null : answer(match, asked);
            this.request = edits == null ? null : new FieldEdits(edits);
            this.response = answers == null ? null : new FieldEdits(answers);
        }

        private static RouteAnswer answer(RouteMatch match, AnswerConfig asked) {
            return new RouteAnswer(
                    asked,
                    asked.redirect() == null
                            ? null
                            : path(match, asked.redirect().prefix()));
        }

        private static @Nullable PathRewrite path(RouteMatch match, @Nullable String replacement) {
            if (replacement == null) {
                return null;
            }
            String prefix = match.pathPrefix() == null ? "" : match.pathPrefix();
            return match.path() == null
                    ? new PathRewrite(prefix, false, replacement)
                    : new PathRewrite(match.path(), true, replacement);
        }

        boolean pass(StagedRequest exchange) {
            if (response != null) {
                exchange.join(new ResponseEdits(exchange, response));
            }
            if (answer != null) {
                answer.give(exchange);
                return false;
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

package io.remora.feature.answer;

import io.remora.config.model.RouteConfig;
import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;
import io.remora.feature.ReplacedPath;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import java.util.IdentityHashMap;
import java.util.List;

/** Answers the requests of routes that forward nothing. */
final class AnswerRequest extends Stage {
    // by route
    private final IdentityHashMap<RouteConfig, RedirectAnswer> redirects = new IdentityHashMap<>();
    private final IdentityHashMap<RouteConfig, RespondConfig> responses = new IdentityHashMap<>();

    AnswerRequest(List<RouteConfig> routes) {
        for (RouteConfig route : routes) {
            RedirectConfig redirect = route.options().get(RedirectConfig.REDIRECT);
            RespondConfig respond = route.options().get(RespondConfig.RESPOND);
            if (redirect != null) {
                redirects.put(route, new RedirectAnswer(redirect, ReplacedPath.of(route.match(), redirect.prefix())));
            } else if (respond != null) {
                responses.put(route, respond);
            }
        }
    }

    @Override
    public boolean pass(StagedRequest exchange) {
        RedirectAnswer redirect = redirects.get(exchange.route());
        RespondConfig respond = responses.get(exchange.route());
        if (redirect != null) {
            redirect.give(exchange);
        } else if (respond != null) {
            give(respond, exchange);
        }
        return redirect == null && respond == null;
    }

    private static void give(RespondConfig respond, StagedRequest exchange) {
        Fields fields = new Fields();
        if (!respond.body().isEmpty()) {
            fields.add(FieldName.CONTENT_TYPE, respond.contentType());
        }
        exchange.respond(respond.status(), fields, respond.body().isEmpty() ? null : respond.body());
    }
}

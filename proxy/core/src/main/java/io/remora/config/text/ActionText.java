package io.remora.config.text;

import io.remora.config.keys.ActionKeys;
import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.AnswerConfig;
import io.remora.config.model.FieldEdit;
import io.remora.config.model.FieldValue;
import io.remora.config.model.Options;
import io.remora.config.model.RedirectConfig;
import io.remora.config.model.RetryConfig;
import io.remora.config.model.RewriteConfig;
import io.remora.config.model.RouteConfig;
import io.remora.config.model.RoutePolicy;
import io.remora.config.model.SplitConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** What a route does beside forwarding, for {@link ConfigText}. Loaded only where there is something of it. */
final class ActionText {
    private final ConfigText text;

    ActionText(ConfigText text) {
        this.text = text;
    }

    /** The clusters in the place of one, and by what a request stays with its own. */
    void split(SplitConfig split) {
        text.section(ListenerKeys.ROUTE_CLUSTERS);
        for (int i = 0; i < split.routes().size(); i++) {
            text.item(ActionKeys.SPLIT_CLUSTER, split.routes().get(i).cluster());
            text.put(ActionKeys.SPLIT_WEIGHT, split.weights().get(i));
        }
        String name = split.stickyName();
        if (name == null) {
            text.plain(ListenerKeys.STICKY, split.sticky() == SplitConfig.Sticky.OFF ? Key.OFF : "client");
        } else {
            boolean header = split.sticky() == SplitConfig.Sticky.HEADER;
            text.section(ListenerKeys.STICKY);
            text.text(header ? ActionKeys.STICKY_HEADER : ActionKeys.STICKY_COOKIE, name);
        }
    }

    /** Whether all clusters have the same; where not, each has its own, of which the route says nothing. */
    static boolean sharesRetries(SplitConfig split) {
        RoutePolicy first = split.routes().get(0).policy();
        for (RouteConfig route : split.routes()) {
            RoutePolicy policy = route.policy();
            RetryConfig retries = policy == null ? null : policy.retries();
            if (!Objects.equals(retries, first == null ? null : first.retries())) {
                return false;
            }
        }
        return true;
    }

    /** All the rest. */
    void route(RouteConfig route) {
        Options options = route.options();
        RewriteConfig rewrite = options.get(RouteConfig.REWRITE);
        if (rewrite != null) {
            text.section(ListenerKeys.REWRITE);
            text.optional(ActionKeys.REWRITE_PREFIX, rewrite.prefix());
            text.optional(ActionKeys.REWRITE_HOST, rewrite.host());
        }
        List<FieldEdit> request = options.get(RouteConfig.REQUEST_HEADERS, List.of());
        if (!request.isEmpty()) {
            text.section(ListenerKeys.REQUEST_HEADERS);
            removed(ActionKeys.REQUEST_REMOVE, request);
            added(ActionKeys.REQUEST_SET, FieldEdit.Kind.SET, request);
            added(ActionKeys.REQUEST_APPEND, FieldEdit.Kind.APPEND, request);
        }
        List<FieldEdit> response = options.get(RouteConfig.RESPONSE_HEADERS, List.of());
        if (!response.isEmpty()) {
            text.section(ListenerKeys.RESPONSE_HEADERS);
            removed(ActionKeys.RESPONSE_REMOVE, response);
            added(ActionKeys.RESPONSE_SET, FieldEdit.Kind.SET, response);
            added(ActionKeys.RESPONSE_APPEND, FieldEdit.Kind.APPEND, response);
        }
        AnswerConfig answer = route.answer();
        if (answer != null) {
            answer(answer);
        }
    }

    private void removed(Key key, List<FieldEdit> edits) {
        List<String> names = new ArrayList<>();
        for (FieldEdit edit : edits) {
            if (edit.kind() == FieldEdit.Kind.REMOVE) {
                names.add(edit.name());
            }
        }
        text.unlessEmpty(key, names);
    }

    private void added(Key key, FieldEdit.Kind kind, List<FieldEdit> edits) {
        boolean any = false;
        for (FieldEdit edit : edits) {
            FieldValue value = edit.value();
            if (edit.kind() == kind && value != null) {
                if (!any) {
                    text.section(key);
                }
                any = true;
                text.header(key, edit.name(), value.text());
            }
        }
    }

    private void answer(AnswerConfig answer) {
        RedirectConfig redirect = answer.redirect();
        if (redirect == null) {
            text.section(ListenerKeys.RESPOND);
            text.put(ActionKeys.RESPOND_STATUS, answer.status());
            text.text(ActionKeys.RESPOND_BODY, answer.body());
            text.text(ActionKeys.RESPOND_CONTENT_TYPE, answer.contentType());
            return;
        }
        text.section(ListenerKeys.REDIRECT);
        text.put(ActionKeys.REDIRECT_STATUS, answer.status());
        text.optional(ActionKeys.REDIRECT_SCHEME, redirect.scheme());
        text.optional(ActionKeys.REDIRECT_HOST, redirect.host());
        if (redirect.port() > 0) {
            text.plain(ActionKeys.REDIRECT_PORT, Integer.toString(redirect.port()));
        }
        text.optional(ActionKeys.REDIRECT_PREFIX, redirect.prefix());
    }
}

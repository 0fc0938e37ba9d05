package io.remora.config.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a route does with its requests beside sending them to its cluster. Loaded only for who has some of it.
 *
 * @param rewrite null where path and host are sent as they came
 * @param request what is changed of the fields that the endpoint gets
 * @param response the same of those that the client gets
 * @param answer what is answered in an endpoint's place; null where requests are forwarded
 * @param split over which clusters requests are spread; null for one cluster
 * @param mirror where copies of requests go; null for none
 * @param options of features, by the name of the key
 */
public record RouteActions(
        @Nullable RewriteConfig rewrite,
        List<FieldEdit> request,
        List<FieldEdit> response,
        @Nullable AnswerConfig answer,
        @Nullable SplitConfig split,
        @Nullable MirrorConfig mirror,
        Map<String, RouteOption> options) {}

package io.remora.config;

import java.util.List;

/**
 * One bound address and what is done with the requests that arrive there.
 *
 * @param name unique among listeners; the metric label
 * @param routes in order: the first that matches wins
 */
public record ListenerConfig(
        String name,
        Address address,
        HeaderPolicy headers,
        Limits limits,
        FrontendTimeouts timeouts,
        List<RouteConfig> routes) {}

package io.remora.feature.tracing;

import io.remora.config.model.RouteConfig;
import io.remora.exchange.AttemptView;
import io.remora.exchange.StagedRequest;
import io.remora.http.FieldName;
import io.remora.http.GrpcStatus;
import io.remora.http.RequestHead;
import org.jspecify.annotations.Nullable;

/**
 * Writes what is known of an exchange and of its attempts as spans. A path stands there without its query, which may have what is nobody
 * else's business.
 *
 * <p>Owner: one event loop. Spec: OpenTelemetry's semantic conventions for HTTP spans, 1.23 and later; what they have no name for begins
 * with {@code remora.}
 */
final class SpanAttributes {
    private static final int LEAST_ERROR = 400;
    private static final int LEAST_FAILURE = 500;
    private static final String OTHER = "_OTHER";
    private static final String STATUS = "http.response.status_code";
    private static final String ERROR = "error.type";
    private static final String ADDRESS = "server.address";
    private static final String PORT = "server.port";

    private final SpanWriter out;
    private final LoopTracer tracer;

    SpanAttributes(SpanWriter out, LoopTracer tracer) {
        this.out = out;
        this.tracer = tracer;
    }

    // ---- the exchange

    void server(ExchangeSpans spans, StagedRequest exchange, long endedNs) {
        RequestHead head = exchange.head();
        RouteConfig route = exchange.route();
        String template = template(route);
        long startedNs = exchange.startedNs();
        String name = template == null ? name(head) : name(head) + ' ' + template;
        out.begin(
                spans.traceHigh,
                spans.traceLow,
                spans.id,
                spans.parent,
                name,
                false,
                tracer.epochUs(startedNs),
                (endedNs - startedNs) / 1_000);
        out.peer(null, exchange.client(), 0);
        out.attributes();
        method(head);
        out.attribute("url.path", head.path());
        out.attribute("url.scheme", exchange.scheme());
        authority(head.authority.toString());
        out.attribute("client.address", exchange.client());
        out.attribute("network.peer.address", exchange.peer());
        out.attribute("network.protocol.version", head.isMultiplexed() ? "2" : head.protocol);
        out.attribute("user_agent.original", head.fields.get(FieldName.USER_AGENT));
        out.attribute("http.route", template);
        out.attribute("remora.listener", exchange.snapshot().config().name());
        out.attribute("remora.route", route == null ? null : route.name());
        out.attribute("remora.attempts", exchange.attempts());
        out.attribute("remora.proxy_us", exchange.proxyNs() / 1_000);
        out.attribute("remora.backend_us", exchange.backendNs() / 1_000);
        int status = exchange.status();
        out.attribute(STATUS, status == 0 ? -1 : status);
        grpc(exchange.grpcStatus());
        String error = error(exchange);
        out.attribute(ERROR, error);
        out.end(error);
    }

    private static @Nullable String error(StagedRequest exchange) {
        if (exchange.failure() != null) {
            return exchange.failure().label();
        }
        if (exchange.status() >= LEAST_FAILURE) {
            return Integer.toString(exchange.status());
        }
        GrpcStatus grpc = exchange.grpcStatus();
        return exchange.hasFailed() ? grpc == null ? GrpcStatus.UNKNOWN.name() : grpc.name() : null;
    }

    private void grpc(@Nullable GrpcStatus status) {
        out.attribute("rpc.response.status_code", status == null ? null : status.name());
    }

    private static @Nullable String template(@Nullable RouteConfig route) {
        if (route == null) {
            return null;
        }
        String path = route.match().path();
        return path == null ? route.match().pathPrefix() : path;
    }

    private static boolean isKnown(String method) {
        return switch (method) {
            case "GET", "POST", "PUT", "HEAD", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT" -> true;
            default -> false;
        };
    }

    private static String name(RequestHead head) {
        return isKnown(head.method) ? head.method : "HTTP";
    }

    private void method(RequestHead head) {
        boolean known = isKnown(head.method);
        out.attribute("http.request.method", known ? head.method : OTHER);
        out.attribute("http.request.method_original", known ? null : head.method);
    }

    private void authority(String authority) {
        out.attribute(ADDRESS, host(authority));
        out.attribute(PORT, port(authority));
    }

    // ---- an attempt

    void client(ExchangeSpans spans, AttemptSpan span, StagedRequest exchange, long nowNs) {
        AttemptView attempt = span.attempt;
        RequestHead head = exchange.head();
        String endpoint = attempt.endpoint();
        long endedNs = span.endedNs == 0 ? nowNs : span.endedNs;
        out.begin(
                spans.traceHigh,
                spans.traceLow,
                span.id,
                spans.id,
                name(head),
                true,
                tracer.epochUs(span.startedNs),
                (endedNs - span.startedNs) / 1_000);
        String cluster = attempt.clusterName();
        if (endpoint != null) {
            out.peer(cluster, host(endpoint), port(endpoint));
        }
        out.attributes();
        method(head);
        out.attribute("url.full", url(attempt, head));
        if (endpoint != null) {
            authority(endpoint);
            out.attribute("network.peer.address", host(endpoint));
            out.attribute("network.peer.port", port(endpoint));
        }
        out.attribute("remora.cluster", cluster);
        out.attribute("remora.endpoint", endpoint);
        int resends = attempt.number() - 1;
        out.attribute("http.request.resend_count", resends == 0 ? -1 : resends);
        times(span, endedNs);
        end(attempt);
    }

    /** Returns the URL of the request to the endpoint, which routes may have rewritten. */
    private static @Nullable String url(AttemptView attempt, RequestHead head) {
        String endpoint = attempt.endpoint();
        // a path is no authority
        String at = endpoint == null || endpoint.startsWith("/")
                ? head.sentAuthority().toString()
                : endpoint;
        return at.isEmpty() ? null : attempt.scheme() + "://" + at + head.sentPath();
    }

    private void times(AttemptSpan span, long endedNs) {
        if (span.sentNs == 0) {
            // all the time was spent on the way to a stream
            out.attribute("remora.lease_us", (endedNs - span.startedNs) / 1_000);
            return;
        }
        long pickedNs = span.pickedNs == 0 ? span.sentNs : span.pickedNs;
        out.attribute("remora.lease_us", (span.sentNs - span.startedNs) / 1_000);
        out.attribute("remora.connect_us", span.attempt.wasReused() ? -1 : (span.sentNs - pickedNs) / 1_000);
        out.attribute("remora.backend_us", ((span.answeredNs == 0 ? endedNs : span.answeredNs) - span.sentNs) / 1_000);
    }

    private void end(AttemptView attempt) {
        int status = attempt.status();
        out.attribute(STATUS, status == 0 ? -1 : status);
        grpc(attempt.grpcStatus());
        String error = error(attempt);
        out.attribute(ERROR, error);
        out.end(error);
    }

    // to a client, every failure is an error
    private static @Nullable String error(AttemptView attempt) {
        if (attempt.failure() != null) {
            return attempt.failure().label();
        }
        if (attempt.status() >= LEAST_ERROR) {
            return Integer.toString(attempt.status());
        }
        GrpcStatus grpc = attempt.grpcStatus();
        return grpc == null || grpc == GrpcStatus.OK ? null : grpc.name();
    }

    // ---- names of hosts

    private static String host(String authority) {
        int colon = portColon(authority);
        String host = colon < 0 ? authority : authority.substring(0, colon);
        return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
    }

    /** -1 where there is none. */
    private static int port(String authority) {
        int colon = portColon(authority);
        if (colon < 0) {
            return -1;
        }
        int port = 0;
        for (int i = colon + 1; i < authority.length(); i++) {
            int digit = authority.charAt(i) - '0';
            if (digit < 0 || digit > 9 || port > 6_553) {
                return -1;
            }
            port = port * 10 + digit;
        }
        return colon + 1 == authority.length() ? -1 : port;
    }

    // of an address of version 6 without brackets none is
    private static int portColon(String authority) {
        int colon = authority.lastIndexOf(':');
        int bracket = authority.lastIndexOf(']');
        boolean isPort = bracket < 0 ? authority.indexOf(':') == colon : colon > bracket;
        return isPort ? colon : -1;
    }
}

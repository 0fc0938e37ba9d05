package io.remora.config.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One bound address and what is done with the requests that arrive there.
 *
 * @param name unique among listeners; the metric label
 * @param tls null for plain HTTP
 * @param trust null where nobody is believed
 * @param requiredIdentities one of which a client must have; empty where anybody may come
 * @param routes in order: the first that matches wins
 * @param adaptive null where the bound on exchanges is fixed
 * @param requestDtab null where requests have no say in where their cluster's name leads
 * @param announce null where nobody is told of it
 * @param proxyProtocol null where no connection begins with a PROXY header
 * @param http2 null where HTTP/1 alone is spoken
 * @param socket of the file that {@code address} is, null for a port
 * @param tcp whether connections are tunnels from their first octet
 * @param grpc null where calls of gRPC are told apart by nothing
 * @param clients who is let in by address; null for anybody
 * @param rateLimits in the order in which they are asked; empty where nothing is limited
 * @param serverTiming whether responses say how long they took
 * @param detect null where what clients speak is not found out
 * @param detailedErrors whether clients learn which rule they, or endpoints, have broken
 * @param path what becomes of paths that have more than one spelling; the paths of {@code routes} are in the spelling that it matches
 * @param clientHalfClose what becomes of requests whose client ends its side
 */
public record ListenerConfig(
        String name,
        Address address,
        HeaderPolicy headers,
        Limits limits,
        FrontendTimeouts timeouts,
        @Nullable ListenerTls tls,
        @Nullable TrustConfig trust,
        List<String> requiredIdentities,
        List<RouteConfig> routes,
        @Nullable AdaptiveConfig adaptive,
        @Nullable RequestDtabConfig requestDtab,
        @Nullable AnnounceConfig announce,
        @Nullable ProxyProtocolConfig proxyProtocol,
        @Nullable Http2Config http2,
        @Nullable SocketConfig socket,
        boolean tcp,
        @Nullable GrpcConfig grpc,
        @Nullable ClientsConfig clients,
        List<RateLimitConfig> rateLimits,
        boolean serverTiming,
        @Nullable DetectConfig detect,
        boolean detailedErrors,
        PathConfig path,
        ClientHalfClose clientHalfClose) {
    /** One that has none of what is off by default. */
    public ListenerConfig(
            String name,
            Address address,
            HeaderPolicy headers,
            Limits limits,
            FrontendTimeouts timeouts,
            @Nullable ListenerTls tls,
            @Nullable TrustConfig trust,
            List<String> requiredIdentities,
            List<RouteConfig> routes) {
        this(
                name,
                address,
                headers,
                limits,
                timeouts,
                tls,
                trust,
                requiredIdentities,
                routes,
                null,
                null,
                null,
                null,
                null,
                null,
                false,
                null,
                null,
                List.of(),
                false,
                null,
                false,
                PathConfig.DEFAULT,
                ClientHalfClose.CANCEL);
    }

    /** What holds for connections that carry no requests, where the listener finds out which do not. */
    public ListenerConfig tunnels(DetectConfig found) {
        return new ListenerConfig(
                name,
                address,
                headers,
                limits,
                timeouts,
                tls,
                null,
                requiredIdentities,
                List.of(found.tunnels()),
                null,
                null,
                null,
                proxyProtocol,
                null,
                socket,
                true,
                null,
                clients,
                withoutFields(rateLimits),
                false,
                null,
                false,
                PathConfig.DEFAULT,
                ClientHalfClose.CANCEL);
    }

    /** This one, but with the file as it was made for whoever is at the address already: a socket that stays is not made anew. */
    ListenerConfig over(List<ListenerConfig> running) {
        for (ListenerConfig one : running) {
            if (address.isUnix() && one.address.equals(address) && !Objects.equals(one.socket, socket)) {
                return withSocket(one.socket);
            }
        }
        return this;
    }

    private ListenerConfig withSocket(@Nullable SocketConfig made) {
        return new ListenerConfig(
                name,
                address,
                headers,
                limits,
                timeouts,
                tls,
                trust,
                requiredIdentities,
                routes,
                adaptive,
                requestDtab,
                announce,
                proxyProtocol,
                http2,
                made,
                tcp,
                grpc,
                clients,
                rateLimits,
                serverTiming,
                detect,
                detailedErrors,
                path,
                clientHalfClose);
    }

    /** Returns whether it or one of its routes has rate limits. */
    public boolean isRateLimited() {
        for (RouteConfig route : routes) {
            if (!route.rateLimits().isEmpty()) {
                return true;
            }
        }
        return !rateLimits.isEmpty();
    }

    /** Returns whether one of its routes has a mirror. */
    public boolean isMirrored() {
        for (RouteConfig route : routes) {
            RouteActions actions = route.actions();
            if (actions != null && actions.mirror() != null) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether one of its routes has an option of that name. */
    public boolean hasOption(String name) {
        for (RouteConfig route : routes) {
            RouteActions actions = route.actions();
            if (actions != null && actions.options().containsKey(name)) {
                return true;
            }
        }
        return false;
    }

    /** Its own rate limits and those of its routes. */
    public List<RateLimitConfig> allRateLimits() {
        List<RateLimitConfig> all = new ArrayList<>(rateLimits);
        for (RouteConfig route : routes) {
            all.addAll(route.rateLimits());
        }
        return all;
    }

    private static List<RateLimitConfig> withoutFields(List<RateLimitConfig> limits) {
        List<RateLimitConfig> kept = new ArrayList<>();
        for (RateLimitConfig limit : limits) {
            if (limit.by() != RateLimitConfig.By.HEADER) {
                kept.add(limit.untold());
            }
        }
        return List.copyOf(kept);
    }
}

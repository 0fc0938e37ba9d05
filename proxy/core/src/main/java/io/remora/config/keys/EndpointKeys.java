package io.remora.config.keys;

import io.remora.config.model.EndpointConfig;

/** The keys of an endpoint that is more than an address, in the order of the page. Loaded only where they are configured. */
public final class EndpointKeys {
    /** The address of the endpoint. */
    public static final Key ADDRESS = Key.required(ClusterKeys.ENDPOINTS, "address", "address");

    /** Its share of the requests relative to the other endpoints'; 0 takes it out, and closes its connections. */
    public static final ValueKey<Integer> WEIGHT =
            Key.count(ClusterKeys.ENDPOINTS, "weight", 0, EndpointConfig.MAX_WEIGHT, 1);

    /** Its zone, which the {@code zone} of {@code balancer} is compared with. */
    public static final Key ZONE = Key.optional(ClusterKeys.ENDPOINTS, "zone", "name");

    /**
     * Endpoints with the lowest number get all requests as long as enough of them are healthy, see {@code spill-below} of
     * {@code balancer}.
     */
    public static final ValueKey<Integer> PRIORITY =
            Key.count(ClusterKeys.ENDPOINTS, "priority", 0, EndpointConfig.MAX_PRIORITY, 0);

    private EndpointKeys() {}
}

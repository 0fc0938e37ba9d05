package io.remora.config.model;

/**
 * The configuration of an endpoint, except for its address. Immutable.
 *
 * @param weight its share of the requests relative to the others', 0 for none
 * @param zone empty for none
 * @param priority those with the lowest number come first
 */
public record EndpointConfig(int weight, String zone, int priority) {
    public static final int MAX_WEIGHT = 65_535;
    public static final int MAX_PRIORITY = 65_535;

    /** The configuration of an endpoint that is only an address. */
    public static final EndpointConfig PLAIN = new EndpointConfig(1, "", 0);
}

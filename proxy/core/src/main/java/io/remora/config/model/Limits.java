package io.remora.config.model;

/**
 * The bounds a listener holds its clients to.
 *
 * @param connections open at once; at the limit accepting pauses and the kernel's backlog holds the rest
 * @param requestLineBytes beyond it 414
 * @param headerBlockBytes all field lines together; beyond it 431
 * @param headerFields field lines; beyond it 431
 * @param bufferBytes held per direction before the sending side is no longer read
 * @param inFlightExchanges at once; beyond it 503 with Retry-After
 * @param bodyBytes of a request; beyond it 413; {@link #UNLIMITED} for no bound
 */
public record Limits(
        int connections,
        int requestLineBytes,
        int headerBlockBytes,
        int headerFields,
        int bufferBytes,
        int inFlightExchanges,
        long bodyBytes) {
    public static final long UNLIMITED = Long.MAX_VALUE;

    /** The longest use of a connection whose peer was verified when it was made. */
    public static final long VERIFIED_AGE_NS = 3_600_000_000_000L;

    /** The default bound on connections. Where memory does not allow for it, there are fewer. */
    public static final int CONNECTIONS_BY_DEFAULT = 10_000;

    /** The default bound on exchanges in flight, as with {@link #CONNECTIONS_BY_DEFAULT}. */
    public static final int IN_FLIGHT_BY_DEFAULT = 1_000;
}

package io.remora.config.model;

/**
 * To which cluster copies of a route's requests go, and what they may take.
 *
 * @param percent of the requests
 * @param bodyBytes of a request that is copied
 * @param maxInFlight copies on each event loop
 * @param timeoutNs for a copy, from when it is whole to the end of the response
 */
public record MirrorConfig(String cluster, int percent, int bodyBytes, int maxInFlight, long timeoutNs) {}

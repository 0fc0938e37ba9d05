package io.remora.config.model;

import java.util.List;

/**
 * Whose word a listener takes for the way that a request has come. Either networks and identities, or a number of hops.
 *
 * @param cidrs addresses, each perhaps with the length of a prefix
 * @param identities exact ones, or prefixes that end in {@code /*}
 * @param hops proxies before the listener; 0 where networks and identities decide
 * @param forwarded whether Forwarded names the hops; X-Forwarded-For does otherwise
 */
public record TrustConfig(List<String> cidrs, List<String> identities, int hops, boolean forwarded) {}

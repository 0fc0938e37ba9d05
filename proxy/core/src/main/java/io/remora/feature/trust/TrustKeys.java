package io.remora.feature.trust;

import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;

/** The keys of a listener's {@code trust}, in the order of the page. Loaded only where they are configured. */
public final class TrustKeys {
    static final String FORWARDED = "forwarded";

    /**
     * Names the peers whose X-Forwarded fields, Forwarded and X-Forwarded-Client-Cert are trusted. The client's address
     * in the access log follows from them. The same fields of any other peer are dropped before the request is routed.
     * By default no peer is trusted, and what clients send is passed on as {@code headers} says. See
     * [trust.md](trust.md).
     */
    public static final Key TRUST = Key.mappingOrOff(ListenerKeys.LISTENERS, Trust.NAME);

    /**
     * Networks of proxies, as {@code 10.0.0.0/8}, {@code fd00::/8} or a single address. A peer in one of them is
     * trusted, and so is each hop in one of them that a trusted one names. The first hop that is not is the client.
     */
    public static final Key CIDRS = Key.optional(TRUST, "cidrs", "list of networks");

    /**
     * Identities of proxies that connect by mutual TLS, exact or as {@code spiffe://DOMAIN/PATH/*}. A peer that has
     * proved one of them is trusted.
     */
    public static final Key IDENTITIES = Key.optional(TRUST, "identities", "list of identities");

    /**
     * Number of proxies in front of the listener, 1 to 16; not together with {@code cidrs} and {@code identities}. Any
     * peer is trusted if the list names as many hops. Only for listeners that nobody but the last of the proxies can
     * reach.
     */
    public static final Key HOPS = Key.optional(TRUST, "hops", "1 to 16");

    /**
     * The field in which the proxies name the hops before them. It has to be the one that all of them write. A stranger
     * may have sent the other field through all of them.
     */
    public static final Key FIELD = Key.text(TRUST, "field", "`x-forwarded-for` or `forwarded`", "x-forwarded-for");

    private TrustKeys() {}
}

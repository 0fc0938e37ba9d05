package io.remora.feature.trust;

import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;

/** The keys of a listener's {@code trust}, in the order of the page. Loaded only where they are configured. */
public final class TrustKeys {
    static final String FORWARDED = "forwarded";

    /**
     * Peers whose X-Forwarded fields, Forwarded and X-Forwarded-Client-Cert are trusted. They determine the client
     * address in the access log. The fields of other peers are removed before routing. By default, no peer is trusted,
     * and these fields are forwarded as configured in {@code headers}. See [trust.md](trust.md).
     */
    public static final Key TRUST = Key.mappingOrOff(ListenerKeys.LISTENERS, Trust.NAME);

    /**
     * Networks of trusted proxies, such as {@code 10.0.0.0/8}, {@code fd00::/8} or a single address. A peer in these
     * networks is trusted, and so are the hops in them that trusted proxies report. The first hop outside of them is
     * the client.
     */
    public static final Key CIDRS = Key.optional(TRUST, "cidrs", "list of networks");

    /** Identities of trusted proxies that use mutual TLS, exact or {@code spiffe://DOMAIN/PATH/*}. */
    public static final Key IDENTITIES = Key.optional(TRUST, "identities", "list of identities");

    /**
     * Number of proxies in front of the listener. Cannot be combined with {@code cidrs} and {@code identities}. All
     * peers are trusted if the list contains that many hops. Only use it if nothing except the last proxy can reach the
     * listener.
     */
    public static final Key HOPS = Key.optional(TRUST, "hops", "1 to 16");

    /**
     * Field in which the proxies list previous hops. Choose the field that all of them write, because clients can send
     * the other field through all of them.
     */
    public static final Key FIELD = Key.text(TRUST, "field", "`x-forwarded-for` or `forwarded`", "x-forwarded-for");

    private TrustKeys() {}
}

package io.remora.feature.trust;

import io.remora.config.keys.Key;
import io.remora.config.model.Option;
import io.remora.config.text.ConfigText;
import io.remora.config.text.ShownOption;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Peers that a listener trusts as to the way of a request. Either networks and identities, or a number of hops.
 *
 * @param cidrs addresses, each perhaps with the length of a prefix
 * @param identities exact ones, or prefixes that end in {@code /*}
 * @param hops proxies before the listener; 0 where networks and identities decide
 * @param forwarded whether Forwarded names the hops; X-Forwarded-For does otherwise
 */
public record TrustConfig(List<String> cidrs, List<String> identities, int hops, boolean forwarded)
        implements ShownOption {
    public static final Option<TrustConfig> TRUST = Option.of(Trust.NAME);

    @Override
    public void show(ConfigText text, @Nullable Key parent) {
        text.section(TrustKeys.TRUST);
        text.unlessEmpty(TrustKeys.CIDRS, cidrs);
        text.unlessEmpty(TrustKeys.IDENTITIES, identities);
        if (hops > 0) {
            text.number(TrustKeys.HOPS, hops);
        }
        text.plain(TrustKeys.FIELD, forwarded ? TrustKeys.FORWARDED : TrustKeys.FIELD.fallbackText());
    }
}

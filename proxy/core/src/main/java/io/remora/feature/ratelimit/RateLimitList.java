package io.remora.feature.ratelimit;

import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.Option;
import io.remora.config.model.Options;
import io.remora.config.model.TunnelOption;
import io.remora.config.text.ConfigText;
import io.remora.config.text.ShownOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rate limits of a listener or of a route.
 *
 * @param limits in the order in which they apply, one or more
 */
public record RateLimitList(List<RateLimitConfig> limits) implements ShownOption, TunnelOption {
    static final Option<RateLimitList> LIMITS = Option.of(RateLimits.NAME);

    /** Returns the limits among these options; none where they are off. */
    public static List<RateLimitConfig> of(Options options) {
        RateLimitList list = options.get(LIMITS);
        return list == null ? List.of() : list.limits;
    }

    /** Leaves out limits by a field, as connections have none, and the fields of refusals. */
    @Override
    public Options addTo(Options tunnels) {
        List<RateLimitConfig> kept = new ArrayList<>();
        for (RateLimitConfig limit : limits) {
            if (limit.by() != RateLimitConfig.By.HEADER) {
                kept.add(limit.untold());
            }
        }
        return kept.isEmpty() ? tunnels : tunnels.with(LIMITS, new RateLimitList(List.copyOf(kept)));
    }

    @Override
    public void show(ConfigText text, @Nullable Key parent) {
        Key at = parent == ListenerKeys.ROUTES ? RateLimitKeys.ROUTE_RATE_LIMITS : RateLimitKeys.RATE_LIMITS;
        text.begin(at, RateLimitKeys.RATE_LIMITS);
        showItems(text);
        text.end();
    }

    private void showItems(ConfigText text) {
        for (RateLimitConfig limit : limits) {
            boolean seconds = limit.perNs() == 1_000_000_000L;
            text.item(RateLimitKeys.NAME, limit.name());
            text.plain(RateLimitKeys.RATE, limit.requests() + (seconds ? "/s" : "/m"));
            text.put(RateLimitKeys.BURST, limit.burst());
            switch (limit.by()) {
                case ALL -> text.plain(RateLimitKeys.BY, "all");
                case CLIENT -> {
                    text.plain(RateLimitKeys.BY, "client");
                    text.put(RateLimitKeys.IPV6_PREFIX, limit.ipv6Prefix());
                    text.put(RateLimitKeys.KEYS, limit.keys());
                }
                case HEADER -> {
                    text.text(RateLimitKeys.BY, "header:" + limit.header());
                    text.put(RateLimitKeys.KEYS, limit.keys());
                }
            }
            text.plain(RateLimitKeys.TELL_ALWAYS, limit.told() ? "true" : "false");
        }
    }
}

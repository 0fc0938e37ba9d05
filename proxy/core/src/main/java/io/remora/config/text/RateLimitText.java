package io.remora.config.text;

import io.remora.config.keys.RateLimitKeys;
import io.remora.config.model.RateLimitConfig;
import java.util.List;

/** Rate limits, for {@link ConfigText}. Loaded only for who has them. */
final class RateLimitText {
    private RateLimitText() {}

    static void show(ConfigText text, List<RateLimitConfig> limits) {
        for (RateLimitConfig limit : limits) {
            boolean seconds = limit.perNs() == 1_000_000_000L;
            text.item(RateLimitKeys.NAME, limit.name());
            text.plain(RateLimitKeys.RATE, limit.requests() + (seconds ? "/s" : "/m"));
            text.number(RateLimitKeys.BURST, limit.burst());
            switch (limit.by()) {
                case ALL -> text.plain(RateLimitKeys.BY, "all");
                case CLIENT -> {
                    text.plain(RateLimitKeys.BY, "client");
                    text.number(RateLimitKeys.IPV6_PREFIX, limit.ipv6Prefix());
                    text.number(RateLimitKeys.KEYS, limit.keys());
                }
                case HEADER -> {
                    text.text(RateLimitKeys.BY, "header:" + limit.header());
                    text.number(RateLimitKeys.KEYS, limit.keys());
                }
            }
            text.plain(RateLimitKeys.TELL_ALWAYS, limit.told() ? "true" : "false");
        }
    }
}

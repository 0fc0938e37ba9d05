package io.remora.feature.ratelimit;

import io.remora.config.model.Options;
import io.remora.config.model.ProxyConfig;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Names;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Problems;
import io.remora.config.yaml.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Reads {@code rate-limits} of a listener or of a route. */
final class RateLimitReader {
    private static final String HEADER = "header:";
    private static final int MOST_LIMITS = 16;
    private static final long SECOND_NS = 1_000_000_000L;
    private static final long MINUTE_NS = 60 * SECOND_NS;
    /** Fields that are the connection's or the message's, or that one version of HTTP has, or cuts, otherwise than another one. */
    private static final String[] OTHERS_FIELDS = {
        "connection",
        "content-length",
        "cookie",
        "host",
        "te",
        "transfer-encoding",
        "upgrade",
        "x-forwarded-client-cert"
    };

    private final FeatureSection from;
    private final Problems problems;

    private RateLimitReader(FeatureSection from) {
        this.from = from;
        this.problems = from.problems;
    }

    /** Reads them, and returns the options with them. */
    static Options read(FeatureSection from, Options options) {
        List<RateLimitConfig> limits = new RateLimitReader(from).limits();
        return limits.isEmpty() ? options : options.with(RateLimitList.LIMITS, new RateLimitList(limits));
    }

    private List<RateLimitConfig> limits() {
        List<RateLimitConfig> limits = new ArrayList<>();
        List<Node> nodes = from.section.requiredList(RateLimitKeys.RATE_LIMITS, "a list of at least one limit");
        if (nodes.size() > MOST_LIMITS) {
            problems.at(nodes.get(MOST_LIMITS), "too many rate limits, expected at most " + MOST_LIMITS);
        }
        String prefix = from.ofRoute ? from.owner + '/' : "";
        for (Node node : nodes) {
            String byDefault = prefix + "rate-limit-" + (limits.size() + 1);
            limits.add(limit(Section.of(node, "rate limit", problems), byDefault));
        }
        return List.copyOf(limits);
    }

    private RateLimitConfig limit(Section section, String byDefault) {
        String name = name(section, byDefault);
        Node rate = section.requiredText(RateLimitKeys.RATE, "a rate such as 100/s or 30/m");
        int requests = rate == null ? 1 : requests(rate);
        Node by = section.text(RateLimitKeys.BY);
        String header = by != null && by.text.startsWith(HEADER) ? header(by) : null;
        RateLimitConfig limit = new RateLimitConfig(
                name,
                requests,
                rate != null && rate.text.endsWith("m") ? MINUTE_NS : SECOND_NS,
                (int) section.number(RateLimitKeys.BURST, requests, RateLimitKeys.BURST.max),
                header == null ? by(by) : RateLimitConfig.By.HEADER,
                header,
                section.get(RateLimitKeys.IPV6_PREFIX),
                section.get(RateLimitKeys.KEYS),
                section.get(RateLimitKeys.TELL_ALWAYS));
        useless(section.value(RateLimitKeys.IPV6_PREFIX), "ipv6-prefix", limit.by() != RateLimitConfig.By.CLIENT);
        useless(section.value(RateLimitKeys.KEYS), "keys", limit.by() == RateLimitConfig.By.ALL);
        if (from.tcp && limit.told()) {
            Node given = section.value(RateLimitKeys.TELL_ALWAYS);
            problems.at(given == null ? section.node : given, "tell-always is not supported with protocol: tcp");
        }
        section.end();
        return limit;
    }

    private void useless(@Nullable Node given, String key, boolean useless) {
        if (given != null && useless) {
            String expected = key.equals("keys") ? "by: client or header:NAME" : "by: client";
            problems.at(given, key + " requires " + expected);
        }
    }

    private String name(Section section, String byDefault) {
        Node node = section.value(RateLimitKeys.NAME);
        if (node == null && !ProxyConfig.isName(byDefault)) {
            problems.at(
                    section.node, "the name " + Problems.quote(byDefault) + " is too long as a default, expected name");
        }
        List<String> names = from.names(RateLimits.NAME);
        String given = node == null ? byDefault : Names.name(node, RateLimitKeys.NAME.name, problems);
        String name = given == null ? byDefault : given;
        if (names.contains(name)) {
            String what = "the name " + Problems.quote(name) + " is used by another limit of the listener";
            problems.at(node == null ? section.node : node, what + ", expected a different one");
        }
        names.add(name);
        return name;
    }

    private int requests(Node rate) {
        int slash = rate.text.indexOf('/');
        String unit = slash < 0 ? "" : rate.text.substring(slash + 1);
        int requests = 0;
        for (int i = 0; i < slash && requests >= 0; i++) {
            int digit = rate.text.charAt(i) - '0';
            requests = digit < 0 || digit > 9 || requests > RateLimitKeys.MOST_REQUESTS ? -1 : requests * 10 + digit;
        }
        if (requests < 1 || requests > RateLimitKeys.MOST_REQUESTS || !unit.equals("s") && !unit.equals("m")) {
            String expected =
                    ", expected 1 to " + RateLimitKeys.MOST_REQUESTS + " per second or minute, such as 100/s or 30/m";
            problems.at(rate, "rate is " + rate.quoted() + expected);
            return 1;
        }
        return requests;
    }

    private RateLimitConfig.By by(@Nullable Node by) {
        if (by == null || by.isText("all") || by.text.startsWith(HEADER)) {
            return RateLimitConfig.By.ALL;
        }
        if (!by.isText("client")) {
            problems.at(by, "by is " + by.quoted() + ", expected all, client or header:NAME");
        }
        return RateLimitConfig.By.CLIENT;
    }

    private @Nullable String header(Node by) {
        String name = by.text.substring(HEADER.length()).toLowerCase(Locale.ROOT);
        if (from.tcp) {
            problems.at(by, "by is " + by.quoted() + " and protocol is tcp, expected all or client");
            return null;
        }
        boolean taken = false;
        for (String other : OTHERS_FIELDS) {
            taken |= other.equals(name);
        }
        if (taken || !Names.isToken(name)) {
            problems.at(by, "by is " + by.quoted() + ", expected a field that clients set, such as header:x-api-key");
            return null;
        }
        return name;
    }
}

package io.remora.exchange;

import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.Units;
import io.remora.config.keys.ValueKey;
import io.remora.config.model.Options;
import io.remora.config.yaml.FeaturePart;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Problems;
import io.remora.config.yaml.Section;
import io.remora.text.Nearest;
import java.util.ArrayList;
import java.util.List;

/** The {@code retries} of a cluster or of a route: their keys in the order of the page, read and shown. Loaded only where configured. */
public final class RetryPart implements FeaturePart {
    public static final String NAME = "retries";

    private static final List<Integer> STATUSES_BY_DEFAULT = List.of(502, 503, 504);
    private static final int MIN_STATUS = 400;
    private static final int MAX_STATUS = 599;

    /** The statuses except for that of success, in the order of their numbers. */
    static final List<String> GRPC_STATUSES = List.of(
            "cancelled",
            "unknown",
            "invalid-argument",
            "deadline-exceeded",
            "not-found",
            "already-exists",
            "permission-denied",
            "resource-exhausted",
            "failed-precondition",
            "aborted",
            "out-of-range",
            "unimplemented",
            "internal",
            "unavailable",
            "data-loss",
            "unauthenticated");

    private static final int MAX_BODY_BYTES = 64 << 10;

    /**
     * Maximum number of attempts per request, including the first one. The retry budget of the cluster applies to all
     * attempts together.
     */
    public static final ValueKey<Integer> ATTEMPTS = Key.count(ClusterKeys.RETRIES, "attempts", 2, 10, 3);

    /**
     * Statuses from 400 to 599 that are retried for idempotent requests. The default is 502, 503 and 504. If the
     * response has a {@code Retry-After} that ends within {@code timeouts.total} of the route, the sidecar waits for
     * it. Otherwise, for example without a total timeout, the response is forwarded.
     */
    public static final Key STATUSES = Key.optional(ClusterKeys.RETRIES, "statuses", "list of statuses");

    /**
     * Status codes that are retried for gRPC calls, such as {@code unavailable}. None by default. A call is only
     * retried if the response consists of nothing but the status, and nothing was forwarded to the client. Only list a
     * status here if the calls of the route can safely be sent twice. Applies to listeners with HTTP/2. See
     * [grpc.md](grpc.md#retries).
     */
    public static final Key GRPC = Key.optional(ClusterKeys.RETRIES, "grpc", "list of gRPC statuses");

    /**
     * Maximum body size that is buffered for retries. It counts towards the memory of the request. Requests with larger
     * bodies are not retried.
     */
    public static final ValueKey<Integer> BODY =
            Key.bytes(ClusterKeys.RETRIES, "body", 0, MAX_BODY_BYTES, MAX_BODY_BYTES);

    /**
     * Maximum delay before the second attempt. It doubles for each further attempt, up to ten times this value. The
     * actual delay is random, so that failed requests are not retried all at once.
     */
    public static final ValueKey<Long> BACK_OFF = Key.durationNs(ClusterKeys.RETRIES, "back-off", 25_000_000L);

    @Override
    public Options read(FeatureSection from, Options options) {
        Section section = from.section.sectionOrOff(ClusterKeys.RETRIES);
        return section == null ? options : options.with(RetryConfig.RETRIES, read(section, from.problems));
    }

    private static RetryConfig read(Section section, Problems problems) {
        RetryConfig retries = new RetryConfig(
                section.get(ATTEMPTS),
                statuses(section, problems),
                grpc(section, problems),
                section.get(BODY),
                section.get(BACK_OFF));
        section.end();
        return retries;
    }

    private static List<Integer> statuses(Section section, Problems problems) {
        Node list = section.value(STATUSES);
        if (list == null) {
            return STATUSES_BY_DEFAULT;
        }
        if (list.kind != Node.Kind.LIST) {
            problems.at(list, STATUSES.name + " is " + list.quoted() + ", expected a list, or [] for none");
            return STATUSES_BY_DEFAULT;
        }
        List<Integer> statuses = new ArrayList<>();
        for (Node item : list.children) {
            long status = item.number(Units.NONE, "status", MIN_STATUS, MIN_STATUS, MAX_STATUS, problems);
            if (statuses.contains((int) status) && !item.isBroken()) {
                problems.at(item, "status " + item.quoted() + " is listed twice");
            }
            statuses.add((int) status);
        }
        return List.copyOf(statuses);
    }

    private static List<String> grpc(Section section, Problems problems) {
        Node list = section.value(GRPC);
        if (list == null) {
            return List.of();
        }
        if (list.kind != Node.Kind.LIST) {
            problems.at(list, GRPC.name + " is " + list.quoted() + ", expected a list, or [] for none");
            return List.of();
        }
        List<String> statuses = new ArrayList<>();
        for (Node item : list.children) {
            if (item.kind != Node.Kind.TEXT || !GRPC_STATUSES.contains(item.text)) {
                String hint = item.kind == Node.Kind.TEXT ? Nearest.hint(item.text, GRPC_STATUSES) : ", expected text";
                problems.at(item, "status " + item.quoted() + " is not a gRPC status" + hint);
            } else if (statuses.contains(item.text)) {
                problems.at(item, "status " + item.quoted() + " is listed twice");
            }
            statuses.add(item.text);
        }
        return List.copyOf(statuses);
    }

    /** Writes them under a key of a cluster or of a route. */
    static void show(KeyWriter out, Key key, RetryConfig retries) {
        out.begin(key, ClusterKeys.RETRIES);
        out.put(ATTEMPTS, retries.attempts());
        List<String> statuses = new ArrayList<>();
        for (Integer status : retries.statuses()) {
            statuses.add(status.toString());
        }
        out.list(STATUSES, statuses, "[]");
        out.list(GRPC, retries.grpc(), "[]");
        out.put(BODY, retries.bodyBytes());
        out.put(BACK_OFF, retries.backOffNs());
        out.end();
    }
}

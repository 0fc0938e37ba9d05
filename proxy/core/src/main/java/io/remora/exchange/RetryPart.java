package io.remora.exchange;

import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.Units;
import io.remora.config.keys.ValueKey;
import io.remora.config.model.Options;
import io.remora.config.yaml.FeaturePart;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Nearest;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Problems;
import io.remora.config.yaml.Section;
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

    /** Attempts at one request, the first included. The budget of the cluster bounds all attempts together. */
    public static final ValueKey<Integer> ATTEMPTS = Key.count(ClusterKeys.RETRIES, "attempts", 2, 10, 3);

    /**
     * Statuses from 400 to 599 that are retried, by default 502, 503 and 504. The response to an idempotent request is
     * dropped in favour of another attempt. The sidecar waits for a {@code Retry-After} in it if that ends within the
     * route's {@code timeouts.total}; otherwise it passes the response on.
     */
    public static final Key STATUSES = Key.optional(ClusterKeys.RETRIES, "statuses", "list of statuses");

    /**
     * Statuses of gRPC that are retried, such as {@code unavailable}, by default none. A call is made again if its
     * response is nothing but such a status, before anything of it has gone to the client. A status in this list says
     * that the calls of the route may be sent twice. Listeners that speak HTTP/2 follow it. See
     * [grpc.md](grpc.md#retries).
     */
    public static final Key GRPC = Key.optional(ClusterKeys.RETRIES, "grpc", "list of statuses of gRPC");

    /**
     * Bytes of a body that are kept so that it can be sent again. They count as memory of the request. A request with a
     * larger body is not sent a second time.
     */
    public static final ValueKey<Integer> BODY =
            Key.bytes(ClusterKeys.RETRIES, "body", 0, MAX_BODY_BYTES, MAX_BODY_BYTES);

    /**
     * The longest wait before the second attempt, doubled for each further one up to ten times as much. The wait is a random part
     * of it, so that the requests that failed together do not come back together.
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
                problems.at(item, "status " + item.quoted() + " a second time, expected each once");
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
                problems.at(item, "status " + item.quoted() + " is none of gRPC" + hint);
            } else if (statuses.contains(item.text)) {
                problems.at(item, "status " + item.quoted() + " a second time, expected each once");
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

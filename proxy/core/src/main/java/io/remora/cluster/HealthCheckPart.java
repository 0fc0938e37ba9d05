package io.remora.cluster;

import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.ValueKey;
import io.remora.config.model.Options;
import io.remora.config.yaml.FeaturePart;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Names;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Problems;
import io.remora.config.yaml.Section;
import org.jspecify.annotations.Nullable;

/** A cluster's {@code health-check}: its keys in the order of the page, read and shown. Loaded only where it is configured. */
public final class HealthCheckPart implements FeaturePart {
    public static final String NAME = "health-check";

    /** A name of gRPC is never as long, and one octet says how long this is. */
    private static final int MOST_SERVICE = 127;

    /**
     * Path of the GET request. A status from 200 to 399 means success. Without a path, a successful connection is
     * sufficient.
     */
    public static final Key PATH = Key.optional(ClusterKeys.HEALTH_CHECK, "path", "path");

    /**
     * Service name for a gRPC health check ({@code grpc.health.v1.Health}), {@code ""} for the whole server. SERVING
     * means success. Use it instead of {@code path} with {@code protocol: http2}. See [grpc.md](grpc.md#health).
     */
    public static final Key GRPC = Key.optional(ClusterKeys.HEALTH_CHECK, "grpc", "name of a service");

    /** Host field of the request. Defaults to the address of the endpoint. */
    public static final Key HOST = Key.optional(ClusterKeys.HEALTH_CHECK, "host", "host");

    /** Time between two checks, reduced by up to 10 % at random so that sidecars do not check at the same time. */
    public static final ValueKey<Long> INTERVAL = Key.durationNs(ClusterKeys.HEALTH_CHECK, "interval", 10_000_000_000L);

    /** Timeout for a check, shorter than {@code interval}. */
    public static final ValueKey<Long> TIMEOUT = Key.durationNs(ClusterKeys.HEALTH_CHECK, "timeout", 1_000_000_000L);

    /** Number of consecutive failed checks after which an endpoint is ejected. */
    public static final ValueKey<Integer> UNHEALTHY =
            Key.count(ClusterKeys.HEALTH_CHECK, "unhealthy-threshold", 1, 100, 3);

    /** Number of consecutive successful checks after which an endpoint is used again. */
    public static final ValueKey<Integer> HEALTHY = Key.count(ClusterKeys.HEALTH_CHECK, "healthy-threshold", 1, 100, 2);

    @Override
    public Options read(FeatureSection from, Options options) {
        Section section = from.section.sectionOrOff(ClusterKeys.HEALTH_CHECK);
        if (section == null) {
            return options;
        }
        from.refuseForTunnels(section, PATH.name);
        from.refuseForTunnels(section, HOST.name);
        boolean http2 =
                from.isText(ClusterKeys.PROTOCOL.name, "http2") || from.isText(ClusterKeys.PROTOCOL.name, "client");
        return options.with(HealthCheckConfig.HEALTH_CHECK, read(section, http2, from.problems));
    }

    /** @param http2 true where the cluster's endpoints are spoken to in nothing else */
    private static HealthCheckConfig read(Section section, boolean http2, Problems problems) {
        Node path = section.text(PATH);
        Node grpc = section.text(GRPC);
        Node host = section.text(HOST);
        HealthCheckConfig check = new HealthCheckConfig(
                path == null ? null : Names.path(path, PATH.name, problems),
                grpc == null ? null : service(grpc, path != null, http2, problems),
                host == null ? null : host(host, problems),
                section.get(INTERVAL),
                section.get(TIMEOUT),
                section.get(UNHEALTHY),
                section.get(HEALTHY));
        if (check.timeoutNs() >= check.intervalNs()) {
            String most = INTERVAL.write(check.intervalNs());
            section.problem(TIMEOUT, "timeout must be shorter than interval, expected less than " + most);
        }
        if (host != null && path == null && grpc == null) {
            problems.at(host, "host requires path");
        }
        section.end();
        return check;
    }

    private static String service(Node node, boolean path, boolean http2, Problems problems) {
        if (path) {
            problems.at(node, "grpc cannot be combined with path");
        }
        if (!http2) {
            problems.at(node, "grpc requires protocol: http2 in the cluster");
        }
        boolean valid = node.text.length() <= MOST_SERVICE;
        for (int i = 0; i < node.text.length(); i++) {
            char c = node.text.charAt(i);
            valid &= c > ' ' && c <= '~';
        }
        if (!valid) {
            problems.at(node, "grpc is " + node.quoted() + ", expected the name of a service");
        }
        return node.text;
    }

    private static @Nullable String host(Node node, Problems problems) {
        for (int i = 0; i < node.text.length(); i++) {
            char c = node.text.charAt(i);
            if (c <= ' ' || c > '~' || "/?#@\\,".indexOf(c) >= 0) {
                problems.at(node, HOST.name + " is " + node.quoted() + ", expected a host, optionally with a port");
                return null;
            }
        }
        return node.text;
    }

    static void show(KeyWriter out, Key key, HealthCheckConfig check) {
        out.section(key);
        out.optional(PATH, check.path());
        out.optional(GRPC, check.grpc());
        out.optional(HOST, check.host());
        out.put(INTERVAL, check.intervalNs());
        out.put(TIMEOUT, check.timeoutNs());
        out.put(UNHEALTHY, check.unhealthyThreshold());
        out.put(HEALTHY, check.healthyThreshold());
    }
}

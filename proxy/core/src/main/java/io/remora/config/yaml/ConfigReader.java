package io.remora.config.yaml;

import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.keys.OperatorKeys;
import io.remora.config.model.AdminConfig;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ConfigException;
import io.remora.config.model.EngineKind;
import io.remora.config.model.HealthConfig;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Options;
import io.remora.config.model.ProxyConfig;
import io.remora.config.model.RouteConfig;
import io.remora.config.rules.Flaw;
import io.remora.config.rules.NamedClusters;
import io.remora.config.rules.ProxyRules;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads a configuration whole and judges it whole: a usable configuration comes out, or everything that is wrong.
 *
 * <p>Order: {@link SourceText} bytes to text, {@link YamlTree} text to nodes with {@link EnvironmentText} replacing
 * variables, one reader for each section, {@link Problems} last.
 */
public final class ConfigReader {
    private static final String STDIN = "-";

    private final FeatureKeys features;
    private final Problems problems;
    private final BoundAddresses bound;

    private ConfigReader(FeatureKeys features, Problems problems) {
        this.features = features;
        this.problems = problems;
        this.bound = new BoundAddresses(problems);
    }

    /** Returns the name of the file at a path in messages; the path may be standard input. */
    public static String nameOf(String path) {
        return path.equals(STDIN) ? "<stdin>" : path;
    }

    /**
     * Reads a file, or standard input where the path is {@code -}.
     *
     * @param environment the values of {@code ${NAME}}
     * @param features the keys that they own
     */
    public static ProxyConfig readFile(String path, Map<String, String> environment, FeatureKeys features)
            throws ConfigException {
        if (path.equals(STDIN)) {
            return read(nameOf(path), System.in, environment, features);
        }
        try (InputStream file = new FileInputStream(path)) {
            return read(path, file, environment, features);
        } catch (IOException e) {
            throw SourceText.unreadable(e, new Problems(path));
        }
    }

    /**
     * Reads a stream, and leaves it open.
     *
     * @param fileName its name in problems
     * @param environment the values of {@code ${NAME}}
     * @param features the keys that they own
     */
    public static ProxyConfig read(
            String fileName, InputStream yaml, Map<String, String> environment, FeatureKeys features)
            throws ConfigException {
        Problems problems = new Problems(fileName);
        Node root = YamlTree.read(SourceText.read(yaml, problems), environment, problems);
        ProxyConfig config = new ConfigReader(features, problems).proxy(root);
        problems.throwIfAny();
        return config;
    }

    private ProxyConfig proxy(Node node) {
        Section root = Section.of(node, "the file", problems);
        OperatorReader operator = new OperatorReader(bound, features, problems);
        AdminConfig admin = operator.admin(root);
        HealthConfig health = operator.health(root);
        // Before the listeners, whose routes name them.
        Map<String, ClusterConfig> clusters = clusters(root);
        LogPart log =
                root.has(OperatorKeys.LOG) || root.has(OperatorKeys.LOG_LEVEL) ? new LogPart(root, problems) : null;
        RouteReader routes = new RouteReader(clusters, features, problems);
        List<ListenerConfig> listeners = listeners(root, routes);
        routes.know(listeners);
        long workers = root.number(OperatorKeys.WORKERS, OperatorKeys.workersByDefault(), OperatorKeys.WORKERS.max);
        EngineKind engine = root.get(OperatorKeys.ENGINE);
        long drainTimeoutNs = root.get(OperatorKeys.DRAIN_TIMEOUT);
        long drainIdleNs = root.get(OperatorKeys.DRAIN_IDLE);
        long watchdogLiveNs = operator.watchdogLiveNs(root);
        Options options = Options.NONE
                .with(ProxyConfig.LOG_COMPONENTS, log == null ? null : log.components())
                .with(ProxyConfig.VIA, via(root))
                .with(ProxyConfig.HEALTH, health);
        options = routes.ofTop(root, OperatorKeys.ACCESS_LOG, options);
        options = routes.ofTop(root, OperatorKeys.PLUGINS, options);
        options = routes.ofTop(root, OperatorKeys.FINAGLE, options).with(ProxyConfig.WATCH, operator.watch(root));
        options = routes.ofTop(root, options);
        ProxyConfig config = new ProxyConfig(
                (int) workers,
                engine,
                drainTimeoutNs,
                drainIdleNs,
                log == null ? OperatorKeys.LOG_LEVEL_OF_ALL.byDefault() : log.level(),
                watchdogLiveNs,
                admin,
                listeners,
                clusters == null ? Map.of() : Collections.unmodifiableMap(clusters),
                options);
        root.end();
        if (hasMore(config)) {
            NamedClusters named = new NamedClusters(clusters);
            // no lambda, which would cost more than all of the rules
            report(node, ProxyRules.judge(config, named, new BiFunction<>() {
                @Override
                public List<Flaw> apply(ListenerConfig listener, String path) {
                    return features.judge(listener, named, path);
                }
            }));
            report(node, features.judge(config, named));
        }
        return config;
    }

    /** Returns whether rules between parts may be broken. */
    private static boolean hasMore(ProxyConfig config) {
        boolean more = config.listeners().size() > 1
                || config.options().has(ProxyConfig.TRACING)
                || config.options().has(ProxyConfig.WARM_UP);
        for (ListenerConfig listener : config.listeners()) {
            more |= hasMore(listener, config.clusters());
        }
        for (ClusterConfig cluster : config.clusters().values()) {
            more |= cluster.has(ClusterConfig.PROXY_VERSION);
        }
        return more;
    }

    /** Returns whether rules between the parts of a listener may be broken; a plain one does not load them. */
    private static boolean hasMore(ListenerConfig listener, Map<String, ClusterConfig> clusters) {
        boolean more = !listener.options().isEmpty();
        for (RouteConfig route : listener.routes()) {
            ClusterConfig cluster = clusters.get(route.cluster());
            more |= cluster == null
                    || cluster.tcp()
                    || route.policy() != null
                    || !route.options().isEmpty()
                    || route.match().identity() != null;
        }
        return more;
    }

    private void report(Node root, List<Flaw> flaws) {
        for (Flaw flaw : flaws) {
            problems.at(NodePath.find(root, flaw.path()), flaw.message());
        }
    }

    /** Reads the name for Via, null for the default. */
    private @Nullable String via(Section root) {
        Node node = root.value(OperatorKeys.VIA);
        String given = node == null ? null : Names.token(node, OperatorKeys.VIA.name, problems);
        return OperatorKeys.VIA.fallbackText().equals(given) ? null : given;
    }

    /** Reads the clusters, null where they could not be read at all. */
    private @Nullable Map<String, ClusterConfig> clusters(Section root) {
        Node node = root.value(ClusterKeys.CLUSTERS);
        if (node == null) {
            root.missing(ClusterKeys.CLUSTERS, "a mapping of names to clusters");
            return null;
        }
        return Section.of(node, ClusterKeys.CLUSTERS.name, problems).node.isBroken()
                ? null
                : new ClusterReader(features, problems).read(node);
    }

    private List<ListenerConfig> listeners(Section root, RouteReader routes) {
        List<Node> nodes = root.requiredList(ListenerKeys.LISTENERS, "a list of at least one listener");
        return new ListenerReader(routes, bound, problems).read(nodes);
    }
}

package io.remora.testkit;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a sidecar under test: a listener {@code test} before a cluster {@code app} on ephemeral ports,
 * and what a test adds to it, in lines of YAML that are not indented.
 */
public final class Setup {
    /** Short, since the connections of every test that drains would wait for it; a test of the wait sets its own. */
    private static final String DRAIN_IDLE = "drain-idle: 200ms\n";

    private final List<Integer> ports = new ArrayList<>();
    private final List<String> matches = new ArrayList<>();
    private final List<String> rules = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private String host = "127.0.0.1";
    private String process = "";
    private String listener = "";
    private String cluster = "";
    private @Nullable String appProbes;

    private Setup() {}

    /** Each backend is an endpoint of the cluster, or with {@link #routes} has a cluster of its own. */
    public static Setup before(RecordingBackend... backends) {
        Setup setup = new Setup();
        for (RecordingBackend backend : backends) {
            setup.ports.add(backend.port());
        }
        return setup;
    }

    /** The same before whatever is at the port, or nothing. */
    public static Setup at(int port) {
        Setup setup = new Setup();
        setup.ports.add(port);
        return setup;
    }

    /** With one more endpoint. */
    public Setup and(RecordingBackend backend) {
        return and(backend.port());
    }

    /** Adds the program at the port as one more endpoint. */
    public Setup and(int port) {
        ports.add(port);
        return this;
    }

    /** What stands at the top of the file. */
    public Setup process(String lines) {
        process = lines;
        return this;
    }

    /** With a health listener, and these probes of applications, as {@code remora run --app-probes} takes them. */
    public Setup appProbes(String json) {
        appProbes = json;
        return this;
    }

    @Nullable
    String appProbes() {
        return appProbes;
    }

    /** Where the listener is, in place of {@code 127.0.0.1}. */
    public Setup host(String address) {
        host = address;
        return this;
    }

    /** What the listener has beside its name, its address and where it leads. */
    public Setup listener(String lines) {
        listener = lines;
        return this;
    }

    /** What the cluster has beside its endpoints. */
    public Setup cluster(String lines) {
        cluster = lines;
        return this;
    }

    /** A route for each match, which is YAML on one line, to the backend at its place. */
    public Setup routes(String... yaml) {
        matches.addAll(List.of(yaml));
        return this;
    }

    /** Whole routes, each YAML on one line without braces, to the cluster {@code app} of all backends. */
    public Setup rules(String... yaml) {
        rules.addAll(List.of(yaml));
        return this;
    }

    /** Replaces {@code app} by a cluster of each name: the last ones of one backend each, the first one of all others. */
    public Setup clusters(String... clusterNames) {
        names.addAll(List.of(clusterNames));
        return this;
    }

    /** The file. */
    public String yaml() {
        return yaml(null);
    }

    /**
     * @param barrierPort of a backend behind a listener {@code barrier} of its own, see {@link Sidecar#barrier}; null for none
     */
    String yaml(@Nullable Integer barrierPort) {
        StringBuilder yaml = new StringBuilder("admin: { address: \"127.0.0.1:0\" }\n");
        if (!process.contains("log-level:")) {
            yaml.append("log-level: warn\n");
        }
        if (!process.contains("via:")) {
            yaml.append("via: remora\n");
        }
        if (!process.contains("drain-idle:")) {
            yaml.append(DRAIN_IDLE);
        }
        yaml.append(process.indent(0)).append("listeners:\n");
        yaml.append("  - name: test\n    address: \"").append(host).append(":0\"\n");
        yaml.append(leading()).append(indented(listener));
        if (barrierPort != null) {
            yaml.append("  - { name: barrier, address: \"127.0.0.1:0\", cluster: barrier }\n");
        }
        yaml.append("clusters:\n").append(clusters());
        if (barrierPort != null) {
            yaml.append("  barrier: { endpoints: [\"127.0.0.1:")
                    .append(barrierPort)
                    .append("\"] }\n");
        }
        return yaml.toString();
    }

    private String leading() {
        if (matches.isEmpty() && rules.isEmpty()) {
            return "    cluster: app\n";
        }
        StringBuilder routes = new StringBuilder("    routes:\n");
        for (String rule : rules) {
            routes.append("      - { ").append(rule).append(" }\n");
        }
        for (int i = 0; i < matches.size(); i++) {
            routes.append("      - { match: ").append(matches.get(i));
            routes.append(", cluster: app").append(i).append(" }\n");
        }
        return routes.toString();
    }

    private String clusters() {
        if (!names.isEmpty()) {
            return namedClusters();
        }
        if (matches.isEmpty()) {
            return "  app:\n    endpoints: [" + endpoints(ports) + "]\n" + indented(cluster);
        }
        StringBuilder clusters = new StringBuilder();
        for (int i = 0; i < ports.size(); i++) {
            clusters.append("  app").append(i).append(":\n    endpoints: [");
            clusters.append(endpoints(ports.subList(i, i + 1))).append("]\n").append(indented(cluster));
        }
        return clusters.toString();
    }

    private String namedClusters() {
        StringBuilder clusters = new StringBuilder();
        int from = 0;
        for (int i = 0; i < names.size(); i++) {
            int to = ports.size() - (names.size() - 1 - i);
            clusters.append("  ").append(names.get(i)).append(":\n    endpoints: [");
            clusters.append(endpoints(ports.subList(from, to))).append("]\n").append(indented(cluster));
            from = to;
        }
        return clusters.toString();
    }

    private static String endpoints(List<Integer> ports) {
        StringBuilder endpoints = new StringBuilder();
        for (int port : ports) {
            endpoints.append(endpoints.isEmpty() ? "" : ", ");
            endpoints.append("\"127.0.0.1:").append(port).append('"');
        }
        return endpoints.toString();
    }

    private static String indented(String lines) {
        return lines.isEmpty() ? "" : lines.indent(4);
    }
}

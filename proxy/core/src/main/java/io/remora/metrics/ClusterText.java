package io.remora.metrics;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The page of {@code /clusters}: where each cluster's endpoints come from, and what was counted for them, as text or JSON.
 *
 * <p>Owner: one page. Cost: in proportion to the endpoints; no event loop is asked.
 */
public final class ClusterText {
    private static final String STATIC = "static";

    private final StringBuilder out;
    private final Stats stats;
    private final boolean json;
    private final List<Totals.Row> rows = new ArrayList<>();
    private final long nowSeconds;
    private @Nullable EndpointViews views;

    private ClusterText(StringBuilder out, Stats stats, boolean json, long nowMs) {
        this.out = out;
        this.stats = stats;
        this.json = json;
        this.nowSeconds = nowMs / 1_000;
        for (Totals.Row row : Totals.of(stats.endpoints()).rows()) {
            rows.add(row);
        }
    }

    /**
     * @param clusters by name, those of the configuration
     */
    public static void append(StringBuilder out, Iterable<String> clusters, Stats stats, boolean json, long nowMs) {
        ClusterText text = new ClusterText(out, stats, json, nowMs);
        out.append(json ? "{\"clusters\":[" : "");
        boolean first = true;
        for (String cluster : clusters) {
            out.append(json && !first ? "," : "");
            text.cluster(cluster);
            first = false;
            text.hosts(cluster);
        }
        out.append(json ? "]}\n" : "");
    }

    /** The clusters of a template. */
    private void hosts(String template) {
        HostStats hosts = template(template);
        if (hosts == null) {
            return;
        }
        List<String> names = new ArrayList<>();
        for (NamingStats naming : stats.naming()) {
            names.add(naming.cluster);
        }
        for (Totals.Row row : rows) {
            names.add(row.one.scope()[0]);
        }
        Set<String> shown = new HashSet<>();
        for (String name : names) {
            if (name.startsWith(hosts.prefix) && shown.add(name)) {
                out.append(json ? "," : "");
                cluster(name);
            }
        }
    }

    private @Nullable HostStats template(String cluster) {
        for (HostStats hosts : stats.hosts()) {
            if (hosts.template.equals(cluster)) {
                return hosts;
            }
        }
        return null;
    }

    private void cluster(String cluster) {
        List<Totals.Row> own = new ArrayList<>();
        for (Totals.Row row : rows) {
            if (row.one.scope()[0].equals(cluster)) {
                own.add(row);
            }
        }
        if (json) {
            out.append('{');
        } else {
            out.append(cluster);
        }
        FieldLine line = new FieldLine(out, json);
        if (json) {
            line.add("name", cluster);
        }
        source(line, cluster, own.size());
        for (BackendHttp2Stats http2 : stats.backendHttp2()) {
            if (http2.cluster.equals(cluster)) {
                line.add("protocol", http2.protocol);
            }
        }
        out.append(json ? ",\"endpoints\":[" : "\n");
        for (int i = 0; i < own.size(); i++) {
            out.append(json ? i > 0 ? ",{" : "{" : "  " + own.get(i).one.scope()[1]);
            endpoint(new FieldLine(out, json), own.get(i));
            out.append(json ? "}" : "\n");
        }
        out.append(json ? "]}" : "");
    }

    private void source(FieldLine line, String cluster, int endpoints) {
        HostStats hosts = template(cluster);
        if (hosts != null) {
            line.add("source", "template").add("hosts", hosts.hosts()).add("max_hosts", hosts.max());
            return;
        }
        for (NamingStats naming : stats.naming()) {
            if (naming.cluster.equals(cluster)) {
                long answered = naming.answeredSeconds();
                line.add("source", naming.source).add("state", naming.state());
                line.add("age", answered == 0 ? -1 : Math.max(0, nowSeconds - answered));
                line.add("known", naming.endpoints()).add("pending", naming.waiting());
                if (!naming.problem().isEmpty()) {
                    StringBuilder quoted = new StringBuilder();
                    FieldLine.quote(quoted, naming.problem());
                    line.add("problem", json ? naming.problem() : quoted.toString());
                }
                return;
            }
        }
        line.add("source", STATIC).add("state", NamingStats.BOUND).add("known", endpoints);
    }

    private void endpoint(FieldLine line, Totals.Row row) {
        EndpointStats described = (EndpointStats) row.one;
        if (json) {
            line.add("address", described.endpoint);
        }
        line.add("open", row.value(EndpointMetric.OPENED) - row.value(EndpointMetric.CLOSED));
        line.add("idle", row.value(EndpointMetric.IDLE));
        line.add("active", row.value(EndpointMetric.ACTIVE));
        line.add("exchanges", row.value(EndpointMetric.EXCHANGES));
        line.add("connects", row.value(EndpointMetric.CONNECTS));
        line.add("connect_failures", row.value(EndpointMetric.CONNECT_FAILURES));
        line.add("reused", row.value(EndpointMetric.REUSED));
        line.add("pool_exhausted", row.value(EndpointMetric.POOL_EXHAUSTED));
        line.add("weight", described.weight()).add("zone", described.metadata("zone"));
        String priority = described.metadata("priority");
        line.add("priority", priority.isEmpty() ? 0 : Long.parseLong(priority));
        if (described.view() != null) {
            if (views == null) {
                views = new EndpointViews(stats);
            }
            views.append(line, described);
        }
    }
}

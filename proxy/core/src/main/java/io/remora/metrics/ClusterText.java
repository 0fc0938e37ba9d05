package io.remora.metrics;

import io.remora.text.Pieces;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The page of {@code /clusters}, as text or JSON: the source of each cluster's endpoints, and their counts.
 *
 * <p>Owner: one page. Cost: in proportion to the endpoints, some 30 bytes each; no event loop takes part.
 */
public final class ClusterText implements Pieces {
    private static final String STATIC = "static";
    private static final String[] NONE = {};

    private final StringBuilder out = new StringBuilder();
    private final Stats stats;
    private final boolean json;
    private final long nowSeconds;
    private final Map<String, List<Totals.Row>> rows = new HashMap<>();
    private final String[] clusters;
    /** The cluster that is shown now, or next. */
    private int cluster;
    /** The next of its endpoints, -1 before its own line. */
    private int endpoint = -1;

    private boolean ended;

    /**
     * @param configured clusters by name, those of the configuration
     */
    public ClusterText(Iterable<String> configured, Stats stats, boolean json, long nowMs) {
        this.stats = stats;
        this.json = json;
        this.nowSeconds = nowMs / 1_000;
        // in the order in which they came up
        Set<String> known = new LinkedHashSet<>();
        for (NamingStats naming : stats.<NamingStats>rows(NamingStats.TABLE_NAME)) {
            known.add(naming.cluster);
        }
        for (Totals.Row row : Totals.of(stats.endpoints()).rows()) {
            String name = row.one.scope()[0];
            rows.computeIfAbsent(name, absent -> new ArrayList<>()).add(row);
            known.add(name);
        }
        List<String> shown = new ArrayList<>();
        for (String name : configured) {
            shown.add(name);
            addHosts(name, known, shown);
        }
        this.clusters = shown.toArray(NONE);
    }

    // those of a template stand behind it
    private void addHosts(String template, Set<String> known, List<String> shown) {
        HostStats hosts = template(template);
        if (hosts != null) {
            for (String name : known) {
                if (name.startsWith(hosts.prefix)) {
                    shown.add(name);
                }
            }
        }
    }

    @Override
    public @Nullable CharSequence next() {
        out.setLength(0);
        if (cluster == 0 && endpoint < 0 && !ended) {
            out.append(json ? "{\"clusters\":[" : "");
        }
        while (out.length() < PIECE_CHARS && cluster < clusters.length) {
            writeOne();
        }
        if (cluster == clusters.length && !ended) {
            ended = true;
            out.append(json ? "]}\n" : "");
        }
        return out.length() == 0 ? null : out;
    }

    // the line of a cluster, or that of one of its endpoints
    private void writeOne() {
        List<Totals.Row> own = rows.getOrDefault(clusters[cluster], List.of());
        if (endpoint < 0) {
            out.append(json && cluster > 0 ? "," : "");
            head(clusters[cluster], own.size());
            endpoint = 0;
        } else if (endpoint < own.size()) {
            Totals.Row row = own.get(endpoint);
            out.append(json ? endpoint > 0 ? ",{" : "{" : "  " + row.one.scope()[1]);
            endpoint(new FieldLine(out, json), row);
            out.append(json ? "}" : "\n");
            endpoint++;
        }
        if (endpoint == own.size()) {
            out.append(json ? "]}" : "");
            endpoint = -1;
            cluster++;
        }
    }

    private @Nullable HostStats template(String cluster) {
        for (HostStats hosts : stats.<HostStats>rows(HostStats.TABLE_NAME)) {
            if (hosts.template.equals(cluster)) {
                return hosts;
            }
        }
        return null;
    }

    private void head(String name, int endpoints) {
        if (json) {
            out.append('{');
        } else {
            out.append(name);
        }
        FieldLine line = new FieldLine(out, json);
        if (json) {
            line.add("name", name);
        }
        source(line, name, endpoints);
        for (BackendHttp2Stats http2 : stats.<BackendHttp2Stats>rows(BackendHttp2Stats.TABLE_NAME)) {
            if (http2.cluster.equals(name)) {
                line.add("protocol", http2.protocol);
            }
        }
        out.append(json ? ",\"endpoints\":[" : "\n");
    }

    private void source(FieldLine line, String cluster, int endpoints) {
        HostStats hosts = template(cluster);
        if (hosts != null) {
            line.add("source", "template").add("hosts", hosts.hosts()).add("max_hosts", hosts.max());
            return;
        }
        for (NamingStats naming : stats.<NamingStats>rows(NamingStats.TABLE_NAME)) {
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
            EndpointViews.append(line, row);
        }
    }
}

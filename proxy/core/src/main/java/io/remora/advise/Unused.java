package io.remora.advise;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Parts of a configuration that nothing has used since the start, as far as the page {@code /metrics} counts them. Routes are
 * not counted. Pure functions.
 */
final class Unused {
    /** Counters that only a configured feature has, and the feature. */
    private static final String[][] COUNTERS = {
        {"remora_exchanges_started_total", "listener", "received no request"},
        {"remora_frontend_connections_accepted_total", "listener", "accepted no connection"},
        {"remora_rate_limit_refused_total", "limit", "refused nobody"},
        {"remora_grpc_method_calls_total", "grpc_method", "was not called"},
        {"remora_mirrors_started_total", "listener", "mirrored no request"},
        {"remora_fault_delays_total", "listener", "delayed no request by a fault"},
        {"remora_fault_aborts_total", "listener", "aborted no request by a fault"},
        {"remora_hedges_total", "cluster", "made no hedged attempt"},
        {"remora_cluster_retries_total", "cluster", "made no retry by its policy"},
        {"remora_cluster_ejections_total", "cluster", "ejected no endpoint"},
        {"remora_cluster_health_checks_total", "cluster", "had no health check"},
        {"remora_template_hosts_total", "cluster", "created no host"},
    };

    private static final String[] USES_OF_CLUSTERS = {
        "remora_backend_connects_total", "remora_backend_connections_reused_total"
    };

    private Unused() {}

    /**
     * Returns a sentence for each part.
     *
     * @param clusters names in the configuration
     */
    static List<String> of(String metrics, List<String> clusters) {
        // by family, the sum for each value of the label
        Map<String, Map<String, Double>> sums = new HashMap<>();
        Set<String> used = new HashSet<>();
        for (String line : PeaksPage.parts(metrics, '\n')) {
            int brace = line.indexOf('{');
            int end = line.lastIndexOf("} ");
            if (brace > 0 && end > brace && !line.startsWith("#")) {
                add(line.substring(0, brace), line.substring(brace, end), number(line.substring(end + 2)), sums, used);
            }
        }
        List<String> unused = new ArrayList<>();
        for (String[] counter : COUNTERS) {
            for (Map.Entry<String, Double> sum :
                    sums.getOrDefault(counter[0], Map.of()).entrySet()) {
                if (sum.getValue() == 0) {
                    unused.add(word(counter[1]) + ' ' + sum.getKey() + ' ' + counter[2]);
                }
            }
        }
        for (String cluster : clusters) {
            if (!used.contains(cluster)) {
                unused.add("cluster " + cluster + " made no connection");
            }
        }
        return unused;
    }

    private static String word(String label) {
        return switch (label) {
            case "grpc_method" -> "method";
            case "limit" -> "rate limit";
            default -> label;
        };
    }

    private static void add(
            String family, String labels, double value, Map<String, Map<String, Double>> sums, Set<String> used) {
        for (String[] counter : COUNTERS) {
            String name = family.equals(counter[0]) ? label(labels, counter[1]) : "";
            if (!name.isEmpty()) {
                sums.computeIfAbsent(family, any -> new TreeMap<>()).merge(name, value, Double::sum);
            }
        }
        for (String use : USES_OF_CLUSTERS) {
            if (family.equals(use) && value > 0) {
                used.add(label(labels, "cluster"));
            }
        }
    }

    private static double number(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            // NaN of a gauge, or an exemplar
            return 0;
        }
    }

    private static String label(String labels, String name) {
        int at = labels.indexOf(name + "=\"");
        if (at < 1 || labels.charAt(at - 1) != '{' && labels.charAt(at - 1) != ',') {
            return "";
        }
        int from = at + name.length() + 2;
        int end = labels.indexOf('"', from);
        return end < 0 ? "" : labels.substring(from, end);
    }
}

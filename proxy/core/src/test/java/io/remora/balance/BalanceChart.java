package io.remora.balance;

import static io.remora.balance.Simulation.MS;
import static io.remora.balance.Simulation.S;

import io.remora.balance.SimulationTest.Kind;
import java.util.List;
import java.util.Locale;

/**
 * Writes to standard output, as JSON, what the picture of docs/balancing.md shows: for each balancer the share of the
 * requests that one of three endpoints gets, which is slow for a while.
 */
final class BalanceChart {
    private static final long SEED = 1;
    private static final double RATE = 1_000;
    /** Of a tenth of a second each. */
    private static final int BUCKETS = 5;

    private BalanceChart() {}

    public static void main(String[] words) {
        StringBuilder json = new StringBuilder("{");
        for (Kind kind : List.of(Kind.ROUND_ROBIN, Kind.MAGLEV, Kind.LEAST_LOADED, Kind.PEAK_EWMA)) {
            json.append(json.length() == 1 ? "" : ",\n").append('"');
            json.append(kind.name().toLowerCase(Locale.ROOT).replace('_', '-')).append("\": [");
            String comma = "";
            for (double[] point : shares(kind)) {
                json.append(comma)
                        .append('[')
                        .append(point[0])
                        .append(", ")
                        .append(point[1])
                        .append(']');
                comma = ", ";
            }
            json.append(']');
        }
        System.out.println(json.append('}'));
    }

    private static List<double[]> shares(Kind kind) {
        Simulation simulation = new Simulation(kind.balancer(SEED), SEED).add(3);
        simulation.run(5 * S, RATE);
        simulation.node(0).service = SimNode.exponential(500 * MS);
        simulation.run(10 * S, RATE);
        simulation.node(0).service = SimNode.exponential(5 * MS);
        simulation.run(55 * S, RATE);
        return simulation.sharesOverTime(simulation.node(0), BUCKETS);
    }
}

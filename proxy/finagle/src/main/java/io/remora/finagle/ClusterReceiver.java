package io.remora.finagle;

import com.twitter.finagle.stats.Counter;
import com.twitter.finagle.stats.Gauge;
import com.twitter.finagle.stats.Metadata;
import com.twitter.finagle.stats.MetricBuilder;
import com.twitter.finagle.stats.NullStatsReceiver;
import com.twitter.finagle.stats.Stat;
import com.twitter.finagle.stats.StatsReceiver;
import io.remora.metrics.EngineMetric;
import io.remora.metrics.EngineStats;
import java.util.function.DoubleSupplier;
import scala.Function0;
import scala.collection.immutable.Seq;

/**
 * Takes the statistics of Finagle's that are in the sidecar's table, and drops the rest: some have names of exceptions
 * and endpoints in theirs.
 *
 * <p>Owner: the event loop of its client.
 */
final class ClusterReceiver implements StatsReceiver {
    private final String cluster;
    private final EngineStats stats;

    /**
     * @param cluster by which Finagle's names begin
     */
    ClusterReceiver(String cluster, EngineStats stats) {
        this.cluster = cluster;
        this.stats = stats;
    }

    @Override
    public Object repr() {
        return this;
    }

    private String nameOf(MetricBuilder metric) {
        Seq<String> words = metric.name();
        boolean whole = !words.isEmpty() && words.head().equals(cluster);
        return (whole ? words.drop(1) : words).mkString("/");
    }

    @Override
    public Counter counter(MetricBuilder metric) {
        String name = nameOf(metric);
        return EngineStats.has(EngineMetric.EVENTS, name)
                ? new Counting(metric, name)
                : NullStatsReceiver.get().counter(metric);
    }

    @Override
    public Stat stat(MetricBuilder metric) {
        return NullStatsReceiver.get().stat(metric);
    }

    @Override
    public Gauge addGauge(MetricBuilder metric, Function0<Object> reading) {
        String name = nameOf(metric);
        return EngineStats.has(EngineMetric.LEVELS, name)
                ? new Reading(metric, name, reading)
                : NullStatsReceiver.get().addGauge(metric, reading);
    }

    private final class Counting implements Counter {
        private final MetricBuilder metric;
        private final String name;

        Counting(MetricBuilder metric, String name) {
            this.metric = metric;
            this.name = name;
        }

        @Override
        public void incr(long delta) {
            stats.add(EngineMetric.EVENTS, name, delta);
        }

        @Override
        public Metadata metadata() {
            return metric;
        }
    }

    /** A gauge that only its maker holds, because Finagle does not say of each that it is gone. */
    private final class Reading implements Gauge, DoubleSupplier {
        private final MetricBuilder metric;
        private final String name;
        private final Function0<Object> reading;

        Reading(MetricBuilder metric, String name, Function0<Object> reading) {
            this.metric = metric;
            this.name = name;
            this.reading = reading;
            stats.level(name, this);
        }

        @Override
        public double getAsDouble() {
            return ((Number) reading.apply()).doubleValue();
        }

        @Override
        public void remove() {
            stats.remove(name, this);
        }

        @Override
        public Metadata metadata() {
            return metric;
        }
    }
}

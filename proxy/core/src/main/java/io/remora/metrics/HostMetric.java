package io.remora.metrics;

import static io.remora.metrics.Family.counter;
import static io.remora.metrics.Family.gauge;

/** The metrics of each template, one line per family. */
public enum HostMetric implements Metric {
    HOSTS(gauge("remora_template_hosts", "Hosts with a cluster of this template.")),
    MAX(gauge("remora_template_hosts_max", "Maximum number of hosts with a cluster.")),
    EVENTS(counter("remora_template_hosts_total", "Events of template hosts, by kind.")
            .by("event", "created", "forgotten", "evicted", "refused", "failed"));

    @SuppressWarnings("ImmutableEnumChecker") // its arrays are never written to
    private final Family family;

    HostMetric(Family family) {
        this.family = family.within("cluster");
    }

    @Override
    public Family family() {
        return family;
    }
}

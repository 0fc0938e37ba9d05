package io.remora.metrics;

import static io.remora.metrics.Family.counter;
import static io.remora.metrics.Family.gauge;

/** The metrics of each template, one line a family of series. */
public enum HostMetric implements Metric {
    HOSTS(gauge("remora_template_hosts", "Hosts with a cluster of this template.")),
    MAX(gauge("remora_template_hosts_max", "Hosts that may have a cluster at once.")),
    EVENTS(counter("remora_template_hosts_total", "Events of the hosts that requests named.")
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

package io.remora.config.model;

import java.util.List;

/**
 * The template of a cluster, which stands for a cluster for each host that requests name.
 *
 * @param hosts that have one, in lower case: a name, {@code *.suffix} for one label or more before the suffix,
 *     {@code *} for every name, an IP address, or a network
 * @param maxHosts at once; beyond it 503
 * @param hostTtlNs for which one is kept that no request has named since
 */
public record HostTemplate(List<String> hosts, int maxHosts, long hostTtlNs) {
    /** The variable for the host in a template. */
    public static final String HOST = "{host}";

    /** Stands for the port. */
    public static final String PORT = "{port}";
}

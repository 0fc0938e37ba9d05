package io.remora.discovery;

import org.jspecify.annotations.Nullable;

/**
 * A service of Kubernetes whose EndpointSlices have a cluster's endpoints.
 *
 * @param namespace null for the pod's own
 * @param port its name or its number at the pods, null where there is only one
 * @param watchNs for which the server holds a watch
 */
public record KubernetesSource(
        String service,
        @Nullable String namespace,
        @Nullable String port,
        DnsSource.Family family,
        long watchNs,
        SourceServer server) {
    /** The directory in which a pod finds its service account's files. */
    public static final String POD = "/var/run/secrets/kubernetes.io/serviceaccount/";
}

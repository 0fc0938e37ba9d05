package io.remora.source;

import io.remora.config.model.Address;
import io.remora.discovery.KubernetesSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Cluster data of the pod, where the configuration leaves it to the pod. Immutable.
 *
 * @param addresses of the API server
 */
record KubernetesPod(List<Address> addresses, String namespace) {
    static final KubernetesPod NONE = new KubernetesPod(List.of(), "");

    private static final String HOST = "KUBERNETES_SERVICE_HOST";
    private static final String PORT = "KUBERNETES_SERVICE_PORT";

    /**
     * @throws IOException where this is no pod; the message says what to write
     */
    static KubernetesPod of(String cluster, KubernetesSource source) throws IOException {
        List<Address> addresses = source.server().addresses();
        if (addresses.isEmpty()) {
            addresses = List.of(server(cluster, System.getenv(HOST), System.getenv(PORT)));
        }
        String namespace = source.namespace();
        return new KubernetesPod(
                addresses, namespace == null ? namespace(cluster, KubernetesSource.POD + "namespace") : namespace);
    }

    static Address server(String cluster, @Nullable String host, @Nullable String port) throws IOException {
        try {
            if (host != null && port != null && new Places().address(host) != null) {
                return new Address(host, Integer.parseInt(port));
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IOException("cluster " + cluster + ": " + HOST + " and " + PORT
                + " name no API server, expected them, or kubernetes.address");
    }

    static String namespace(String cluster, String file) throws IOException {
        try {
            String namespace = Files.readString(Path.of(file)).strip();
            if (!namespace.isEmpty()) {
                return namespace;
            }
        } catch (IOException e) {
            // said below
        }
        throw new IOException(
                "cluster " + cluster + ": " + file + " names no namespace, expected it, or kubernetes.namespace");
    }
}

package io.remora.dataplane;

import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;

/** Sidecars with more event loops than one. */
final class Workers {
    private static final String YAML = """
            workers: WORKERS
            log-level: warn
            admin: { address: "127.0.0.1:0" }
            listeners:
              - name: barrier
                address: "127.0.0.1:0"
                cluster: barrier
              - name: test
                address: "127.0.0.1:0"
                cluster: app
            LISTENER
            clusters:
              app: { endpoints: ["127.0.0.1:${BACKEND}"] }
              barrier: { endpoints: ["127.0.0.1:${BARRIER}"] }
            """;

    private Workers() {}

    /**
     * @param listener lines of YAML that the listener has beside its name, address and cluster, not indented
     */
    static Sidecar sidecar(RecordingBackend backend, int workers, String listener) {
        return Sidecar.of(
                YAML.replace("WORKERS", Integer.toString(workers))
                        .replace("LISTENER\n", listener.isEmpty() ? "" : listener.indent(4)),
                backend);
    }
}

package io.remora.dataplane;

import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;

/** Sidecars whose listener has routes, one to each backend. */
final class Routes {
    private static final String HEAD = """
            log-level: warn
            admin:
              address: "127.0.0.1:0"
            listeners:
              - name: barrier
                address: "127.0.0.1:0"
                cluster: barrier
              - name: test
                address: "127.0.0.1:0"
                routes:
            """;
    private static final String CLUSTERS = """
            clusters:
              barrier:
                endpoints: ["127.0.0.1:${BARRIER}"]
            """;

    private Routes() {}

    /** One route, whose match is this YAML. */
    static Sidecar to(RecordingBackend backend, String match) {
        return to(new RecordingBackend[] {backend}, match);
    }

    /** A route for each match, each to the backend at its place. */
    static Sidecar to(RecordingBackend[] backends, String... matches) {
        StringBuilder yaml = new StringBuilder(HEAD);
        for (int i = 0; i < matches.length; i++) {
            yaml.append("      - match: ")
                    .append(matches[i])
                    .append("\n        cluster: app")
                    .append(i)
                    .append('\n');
        }
        yaml.append(CLUSTERS);
        for (int i = 0; i < backends.length; i++) {
            yaml.append("  app").append(i).append(":\n    endpoints: [\"127.0.0.1:");
            yaml.append(i == 0 ? "${BACKEND}" : "${BACKEND_" + i + "}").append("\"]\n");
        }
        return Sidecar.of(yaml.toString(), backends);
    }
}

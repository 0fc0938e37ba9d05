package io.remora.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.SidecarProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Holds the keys that docs/metrics.md names against the scrapes of sidecars without and with them. */
final class MetricsPresenceIT {
    /** These depend on the machine, or on the runtime image. */
    private static final Set<ProcessMetric> MAY_BE_ABSENT = Set.of(
            ProcessMetric.MEMORY_LIMIT,
            ProcessMetric.MEMORY_USAGE,
            ProcessMetric.MEMORY_HANDSHAKES,
            ProcessMetric.MEMORY_OPENSSL,
            ProcessMetric.COMPILATIONS);

    /** These need certificates, or the other engine. */
    private static final Set<String> ELSEWHERE =
            Set.of("TLS", "TLS handshake times", "Engine of Finagle", "Announcements");

    @TempDir
    private Path directory;

    @Test
    void aPlainSidecarHasTheTablesThatAreAlwaysOnAlone() throws IOException {
        Set<String> scraped = scrape("", "cluster: app", "");
        Tables.groups().forEach(group -> {
            if (group.keys().isEmpty()) {
                group.lines().stream()
                        .filter(line -> !(line instanceof ProcessMetric own)
                                || !MAY_BE_ABSENT.contains(own) && !Tables.NEEDS.containsKey(own))
                        .forEach(line -> assertThat(scraped).contains(line.family().name));
            } else {
                assertThat(names(group)).as(group.title()).doesNotContainAnyElementsOf(scraped);
            }
        });
        assertThat(scraped).doesNotContain(ProcessMetric.ACCESS_LOG_DROPPED.family().name);
    }

    @Test
    void aSidecarWithTheKeysHasTheirTables() throws IOException {
        Path file = Files.writeString(directory.resolve("endpoints.yaml"), "endpoints: ['127.0.0.1:1']\n");
        Set<String> scraped = scrape(
                "access-log: {output: " + directory.resolve("access.log") + "}\n"
                        + "tracing: {export: {cluster: app}}\n",
                "protocol: detect, detect: {cluster: raw}, proxy-protocol: {from: [127.0.0.0/8]},"
                        + " grpc: {methods: [/a.B/C]}, admission: {adaptive: {}},"
                        + " rate-limits: [{rate: 1000/s, by: client}],"
                        + " routes: [{match: {path: /m}, cluster: two, mirror: {cluster: app}, fault: {delay: 1ms}},"
                        + " {cluster: h2}]",
                """
                  two: {endpoints: ['127.0.0.1:1', '127.0.0.2:1'], accrual: {}}
                  h2: {endpoints: ['127.0.0.1:1'], protocol: http2}
                  raw: {endpoints: ['127.0.0.1:1'], protocol: tcp}
                  named: {resolver: {file: FILE}}
                  peers: {template: {hosts: [a]}, resolver: {dns: {name: '{host}', port: 1}}}
                """.replace("FILE", file.toString()));
        for (Tables.Group group : Tables.groups()) {
            if (!group.keys().isEmpty() && !ELSEWHERE.contains(group.title())) {
                assertThat(scraped).as(group.title()).containsAll(names(group));
            }
        }
        assertThat(scraped).contains(ProcessMetric.ACCESS_LOG_DROPPED.family().name);
    }

    private static List<String> names(Tables.Group group) {
        return group.lines().stream().map(line -> line.family().name).toList();
    }

    /** The names that a sidecar exposes which has these keys at the top, in its listener, and as clusters. */
    private Set<String> scrape(String top, String listener, String clusters) throws IOException {
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                SidecarProcess sidecar = SidecarProcess.start(
                        directory,
                        List.of(),
                        List.of(),
                        """
                        admin: {address: '127.0.0.1:0'}
                        log-level: info
                        workers: 1
                        listeners:
                          - {name: test, address: '127.0.0.1:0', LISTENER}
                        clusters:
                          app: {endpoints: ['127.0.0.1:PORT']}
                        """.replace("admin:", top + "admin:")
                                        .replace("LISTENER", listener)
                                        .replace("PORT", Integer.toString(backend.port()))
                                + clusters);
                RawClient admin = sidecar.adminClient()) {
            String page = admin.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    .response()
                    .bodyText();
            return page.lines()
                    .filter(line -> line.startsWith("# TYPE "))
                    .map(line -> line.split(" ")[2])
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }
}

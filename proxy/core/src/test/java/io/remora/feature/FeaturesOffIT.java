package io.remora.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.PlainSidecar;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.SidecarProcess;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A sidecar loads no class of a feature's package unless the feature is configured. */
final class FeaturesOffIT {
    private static final String PACKAGES = "io.remora.feature.";

    /** The keys of a listener that switch a feature on, by its package. */
    private static final Map<String, String> SWITCHES = Map.of(
            "ratelimit", "cluster: app, rate-limits: [{rate: 1000/s, by: client}]",
            "servertiming", "cluster: app, server-timing: true",
            "mirror", "routes: [{cluster: app, mirror: {cluster: app}}]",
            "fault", "routes: [{cluster: app, fault: {delay: 1ms}}]");

    @TempDir
    private Path directory;

    static List<String> features() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("src/main/java/io/remora/feature"))) {
            return all.filter(Files::isDirectory)
                    .map(each -> each.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    @Test
    void everyFeatureHasItsSwitchHere() throws IOException {
        assertThat(SWITCHES.keySet()).containsExactlyInAnyOrderElementsOf(features());
    }

    @Test
    void aPlainSidecarLoadsNone() throws IOException {
        String classes = PlainSidecar.classes(directory);
        assertThat(classes).contains(PACKAGES + "Features ");
        for (String feature : features()) {
            assertThat(classes).doesNotContain(PACKAGES + feature + '.');
        }
    }

    @ParameterizedTest
    @MethodSource("features")
    void oneThatIsConfiguredIsLoadedAlone(String feature) throws IOException {
        Path loaded = directory.resolve("loaded.txt");
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                SidecarProcess sidecar = SidecarProcess.start(
                        directory, List.of(), List.of("-Xlog:class+load:file=" + loaded), yaml(feature, backend))) {
            try (RawClient client = sidecar.client()) {
                assertThat(client.send(Stand.GET).response().bodyText()).isEqualTo("ok");
            }
            sidecar.endsWell();
        }
        String classes = Files.readString(loaded);
        for (String each : features()) {
            if (each.equals(feature)) {
                assertThat(classes).contains(PACKAGES + each + '.');
            } else {
                assertThat(classes).doesNotContain(PACKAGES + each + '.');
            }
        }
    }

    private static String yaml(String feature, RecordingBackend backend) {
        return """
                admin: {address: '127.0.0.1:0'}
                log-level: info
                workers: 1
                listeners:
                  - {name: test, address: '127.0.0.1:0', SWITCHES}
                clusters:
                  app: {endpoints: ['127.0.0.1:PORT']}
                """.replace("SWITCHES", SWITCHES.get(feature)).replace("PORT", Integer.toString(backend.port()));
    }
}

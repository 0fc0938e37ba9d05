package io.remora.finagle;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ConfigException;
import io.remora.config.yaml.ConfigReader;
import io.remora.feature.FeatureList;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WarningsTest {
    private static final String ASKS = """
            workers: 2
            admin: {address: "127.0.0.1:0"}
            listeners:
              - {name: in, address: "127.0.0.1:1", cluster: app}
            clusters:
              app:
                balancer: peak-ewma
                endpoints: [{address: "127.0.0.1:2", weight: 3}, "127.0.0.1:3", {address: "127.0.0.1:4", weight: 0}]
                accrual: {}
            """;

    @TempDir
    private Path directory;

    private static List<String> warnings(String yaml) throws ConfigException {
        return Warnings.of(ConfigReader.read(
                "test.yaml",
                new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)),
                Map.of(),
                new FeatureList()));
    }

    @Test
    void namesTheKeyAndTheNumberOfWhatIsKeptOtherwise() throws ConfigException {
        assertThat(warnings(ASKS))
                .containsExactly(
                        "engine finagle: clusters.app.balancer: " + Difference.PAGE.text(),
                        "engine finagle: clusters.app.endpoints[].weight: " + Difference.WEIGHTS.text(),
                        "engine finagle: clusters.app.accrual: " + Difference.ALL_OUT.text(),
                        "engine finagle: clusters.app.accrual: " + Difference.EACH_LOOP.text(),
                        "engine finagle: clusters.app.accrual: " + Difference.AVOIDED.text(),
                        "engine finagle: clusters.app.accrual: " + Difference.PAGE.text());
    }

    @Test
    void saysNothingOfWhatIsTheSame() throws ConfigException {
        assertThat(warnings(ASKS.replace("peak-ewma", "least-loaded")
                        .replace("weight: 3", "weight: 1")
                        .replace("    accrual: {}\n", "")))
                .isEmpty();
        assertThat(warnings(ASKS.replace("workers: 2", "workers: 1"))).noneMatch(line -> line.contains(" E11: "));
    }

    @Test
    void aCheckTellsThemAndIsContent() throws IOException, InterruptedException {
        Path config = Files.writeString(directory.resolve("sidecar.yaml"), ASKS);
        Path told = directory.resolve("told");
        Process check = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path", ""),
                        "io.remora.Main",
                        "check",
                        "--engine",
                        "finagle",
                        config.toString())
                .redirectErrorStream(true)
                .redirectOutput(told.toFile())
                .start();
        assertThat(check.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(Files.readAllLines(told))
                .filteredOn(line -> line.contains(": warning: "))
                .hasSize(6)
                .contains(config + ": warning: engine finagle: clusters.app.accrual: " + Difference.EACH_LOOP.text());
        assertThat(Files.readString(told)).endsWith("sidecar.yaml: ok\n");
        assertThat(check.exitValue()).isZero();
    }
}

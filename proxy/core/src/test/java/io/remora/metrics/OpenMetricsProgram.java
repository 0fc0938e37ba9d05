package io.remora.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Command;
import io.remora.testkit.Counterpart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every line of every table, as the parser of Prometheus' client for Python reads it. {@code scripts/test-traces} runs it. */
final class OpenMetricsProgram {
    private static final String READ = """
            import sys
            from prometheus_client.openmetrics.parser import text_string_to_metric_families
            names = set()
            samples = exemplars = 0
            for family in text_string_to_metric_families(open(sys.argv[1], encoding='utf-8').read()):
                assert family.name not in names, family.name
                assert family.documentation, family.name
                # but for a counter beside a gauge of its name
                assert family.type != 'unknown' or family.name.removesuffix('_total') in names, family.name
                names.add(family.name)
                samples += len(family.samples)
                for sample in family.samples:
                    if sample.exemplar:
                        exemplars += 1
                        assert sample.exemplar.value <= float(sample.labels['le'])
                        print(sample.exemplar.labels['trace_id'], float(sample.exemplar.timestamp))
            print(len(names), samples, exemplars)
            """;

    @Test
    void pythonReadsThem(@TempDir Path directory) throws IOException {
        String text = new ExpositionTest().openMetrics();
        Path file = Files.writeString(directory.resolve("metrics.txt"), text);
        Path program = Files.writeString(directory.resolve("read.py"), READ);
        long families = text.lines().filter(line -> line.startsWith("# TYPE ")).count();
        long samples = text.lines().filter(line -> !line.startsWith("#")).count();
        String said = Command.run(
                        directory, Counterpart.program("prometheus-client"), program.toString(), file.toString())
                .good();
        assertThat(said.lines())
                .containsExactly("0af7651916cd43dd8448eb211c80319c 1700000000.023", families + " " + samples + " 1");
        Path bad = Files.writeString(directory.resolve("bad.txt"), text.replace("# EOF\n", ""));
        assertThat(Command.run(directory, Counterpart.program("prometheus-client"), program.toString(), bad.toString())
                        .output())
                .as("it does judge")
                .contains("Missing # EOF");
    }
}

package io.remora.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.webhook.ReviewStats.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page of metrics, and its description in the documentation, on which the alerts rely. */
final class ReviewStatsTest {
    private static final Path DOCS = Path.of("../../docs/injector.md");

    @Test
    void documentationListsEachMetricWithItsType() throws IOException {
        List<String> real = Pattern.compile("# TYPE (\\w+ \\w+)")
                .matcher(new ReviewStats().page())
                .results()
                .map(match -> match.group(1))
                .toList();
        List<String> described = Pattern.compile("\\| `(remora_injector_\\w+)` \\| (\\w+) \\|")
                .matcher(Files.readString(DOCS))
                .results()
                .map(match -> match.group(1) + ' ' + match.group(2))
                .toList();
        assertThat(described).isNotEmpty().containsExactlyElementsOf(real);
    }

    @Test
    void documentationListsEachResult() throws IOException {
        String docs = Files.readString(DOCS);
        int row = docs.indexOf("| `remora_injector_admissions_total` |");
        assertThat(row).isPositive();
        String line = docs.substring(row, docs.indexOf('\n', row));
        for (Result result : Result.values()) {
            assertThat(line).contains('`' + result.name().toLowerCase(Locale.ROOT) + '`');
        }
    }

    @Test
    void eachResultHasItsSeriesFromTheStart() {
        ReviewStats stats = new ReviewStats();
        stats.count(Result.REFUSED, 1_500_000);
        assertThat(stats.page())
                .contains(
                        "remora_injector_admissions_total{result=\"refused\"} 1\n",
                        "remora_injector_admissions_total{result=\"failed\"} 0\n",
                        "remora_injector_admission_seconds_max 0.0015\n");
    }
}

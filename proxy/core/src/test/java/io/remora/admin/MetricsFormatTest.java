package io.remora.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.http.FieldName;
import io.remora.http.Fields;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MetricsFormatTest {
    private static boolean isOpen(String... lines) {
        Fields fields = new Fields();
        for (String line : lines) {
            fields.add(FieldName.of("Accept"), line);
        }
        return MetricsFormat.isOpen(fields);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/openmetrics-text",
                "application/openmetrics-text; version=1.0.0; charset=utf-8",
                "Application/OpenMetrics-Text;version=\"1.0.0\"",
                "application/openmetrics-text;q=0.5, text/plain;q=0.5",
                "application/openmetrics-text;q=0.001",
                "application/openmetrics-text;q=0.6,text/plain;q=0.5,*/*;q=0.9",
                "text/*;q=0.2,*/*,application/openmetrics-text;q=0.2",
                "application/openmetrics-text;version=0.0.1,application/openmetrics-text;version=1.0.0;q=0.75,text/plain;q=0.5",
                // as Prometheus 2 and 3 ask
                "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
                        + "text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
                "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
                        + "application/openmetrics-text;version=0.0.1;q=0.5,"
                        + "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"
            })
    void isAskedFor(String accept) {
        assertThat(isOpen(accept)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "*/*",
                "application/*",
                "text/plain",
                "application/openmetrics-text;q=0",
                "application/openmetrics-text;q=0.000",
                "application/openmetrics-text;version=2.0.0",
                "application/openmetrics-text;version=0.0.1",
                "application/openmetrics-text;q=0.4,text/plain;q=0.5",
                "application/openmetrics-text;q=0.4,text/*",
                "application/openmetrics-text;q=0.4,*/*;q=0.41",
                "application/openmetrics-text;q=much",
                "application/openmetrics-text;q=-1",
                "application/openmetrics-textual",
                ";;,;q=1,=,application/openmetrics-text;q=0.00001"
            })
    void isNotAskedFor(String accept) {
        assertThat(isOpen(accept)).isFalse();
    }

    @Test
    void linesAddUp() {
        assertThat(isOpen()).isFalse();
        assertThat(isOpen("text/plain;q=0.5", "application/openmetrics-text")).isTrue();
        assertThat(isOpen("application/openmetrics-text;q=0.3", "text/plain;q=0.5"))
                .isFalse();
    }
}

package io.remora.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.PlainSidecar;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who has routes that only forward does not pay for what they could do beside it: none of its classes is loaded. */
final class RouteActionsOffIT {
    @Test
    void loadsNoClassOfIt(@TempDir Path directory) throws IOException {
        String classes = PlainSidecar.classes(directory);
        assertThat(classes).contains("io.remora.stages.FindRoute");
        assertThat(classes)
                .doesNotContain("io.remora.config.keys.Action")
                .doesNotContain("io.remora.config.text.Action")
                .doesNotContain("io.remora.config.yaml.Action")
                .doesNotContain("io.remora.config.model.Rewrite")
                .doesNotContain("io.remora.config.model.Redirect")
                .doesNotContain("io.remora.config.model.Answer")
                .doesNotContain("io.remora.config.model.Split")
                .doesNotContain("io.remora.config.model.FieldEdit")
                .doesNotContain("io.remora.config.yaml.FieldEdit")
                .doesNotContain("io.remora.config.model.FieldVa")
                .doesNotContain("io.remora.config.keys.Mirror")
                .doesNotContain("io.remora.config.model.Mirror")
                .doesNotContain("io.remora.config.yaml.Mirror")
                .doesNotContain("io.remora.stages.ActOnRoute")
                .doesNotContain("io.remora.stages.ChooseCluster")
                .doesNotContain("io.remora.stages.FieldEdits")
                .doesNotContain("io.remora.stages.Response")
                .doesNotContain("io.remora.stages.RouteAnswer")
                .doesNotContain("io.remora.http.PathRewrite")
                .doesNotContain("io.remora.stages.OddPath")
                .doesNotContain("io.remora.text.PathSpelling")
                .doesNotContain("io.remora.text.Percent")
                .doesNotContain("io.remora.text.HostText")
                .doesNotContain("io.remora.config.yaml.PathReader")
                .doesNotContain("io.remora.config.model.PathConfig$Separator")
                .doesNotContain("io.remora.http.CookiePairs");
    }
}

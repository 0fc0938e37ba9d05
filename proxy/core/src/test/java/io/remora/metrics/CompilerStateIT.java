package io.remora.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.NativeLibrary;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.SidecarProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The state of the compilers in the metrics of a real sidecar, which the native library reads. */
final class CompilerStateIT {
    @TempDir
    private Path directory;

    private String metrics(String... options) throws IOException {
        NativeLibrary.into(directory);
        List<String> all = new ArrayList<>(List.of(options));
        all.add("-Djava.library.path=" + directory);
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                SidecarProcess sidecar = SidecarProcess.start(directory, backend, List.of(), all, "");
                RawClient client = sidecar.adminClient()) {
            return client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    .response()
                    .bodyText();
        }
    }

    @Test
    void isOnUnlessTheSidecarIsInterpreted() throws IOException {
        assertThat(metrics())
                .contains("\nremora_jvm_compiler_enabled 1\n")
                .containsPattern("\nremora_jvm_compiler_stops_total \\d+\n")
                .containsPattern("\nremora_jvm_code_cache_full_total \\d+\n")
                .containsPattern("\nremora_jvm_compiled_methods [1-9]\\d*\n")
                .containsPattern("\nremora_jvm_compiler_cpu_seconds_total\\{compiler=\"c1\"} \\d");
        assertThat(metrics("-Xint")).contains("\nremora_jvm_compiler_enabled 0\n");
    }
}

package io.remora.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.remora.testkit.Contract;
import io.remora.testkit.PlainSidecar;
import io.remora.testkit.SidecarProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Classes that a scrape costs a sidecar, each of which stays in its memory. */
@Contract
final class ScrapedClassesIT {
    @Test
    void noneSearchesTheRegistryOfBeans(@TempDir Path directory) throws IOException {
        // its exports are in the manifest, which a class path does not read
        assumeThat(SidecarProcess.command(List.of())).contains("-jar");
        assertThat(PlainSidecar.classes(directory))
                .contains("io.remora.process.JvmReadings ")
                .contains("sun.management.MemoryPoolImpl ")
                .doesNotContain("PlatformMBeanFinder")
                .doesNotContain("java.util.stream.ReferencePipeline");
    }
}

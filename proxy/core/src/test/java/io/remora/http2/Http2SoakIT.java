package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.SidecarProcess;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** GHSA-hc9x-r52h-gh4x: nothing that Netty's codec keeps for HTTP/2 grows with what clients do, in a heap that has no room for it. */
final class Http2SoakIT {
    private static final int SECONDS = Integer.getInteger("remora.test.soak-seconds", 12);

    /** What is compiled and what the collector takes meanwhile; a soak of minutes has the same. */
    private static final long GROWTH = 12L << 20;

    @TempDir
    Path directory;

    @Test
    void nothingGrows() throws Exception {
        try (RecordingBackend backend = RecordingBackend.start()) {
            Setup setup = Setup.before(backend)
                    .process("log-level: info")
                    .listener("protocol: http2\nhttp2: { floods: { resets: 2000 } }");
            List<String> options = List.of("-Xmx16m", "-Dio.netty.leakDetection.level=paranoid");
            try (SidecarProcess sidecar = SidecarProcess.start(directory, List.of(), options, setup)) {
                Http2Soak soak = new Http2Soak(sidecar);
                long grown = soak.run(SECONDS);
                assertThat(sidecar.log()).doesNotContain("LEAK").doesNotContain("OutOfMemory");
                assertThat(soak.requests()).isGreaterThan(SECONDS * 20L);
                assertThat(grown).as("octets of RSS").isLessThan(GROWTH);
                System.out.println("requests " + soak.requests() + ", grown by " + (grown >> 10) + " KiB, at most "
                        + (sidecar.memoryBytes("VmHWM") >> 20) + " MiB");
                sidecar.endsWell();
            }
        }
    }
}

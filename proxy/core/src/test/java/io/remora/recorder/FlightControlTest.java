package io.remora.recorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.admin.Recorder;
import io.remora.log.ChangeListener;
import io.remora.log.Log;
import io.remora.testkit.Await;
import io.remora.text.Pieces;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recordings of the JVM that runs the tests. */
final class FlightControlTest {
    private final Recorder recorder = FlightControl.create();

    @TempDir
    private Path directory;

    @AfterEach
    void discard() {
        recorder.discard();
    }

    @Test
    void changesOfStateAreEventsWithoutStacks() throws IOException {
        assertThat(Log.changes()).isNull();
        recorder.start("remora", 60_000, 100);
        ChangeListener changes = Objects.requireNonNull(Log.changes());
        changes.ejected("app", "127.0.0.1:9", "consecutive", 5_000_000_000L);
        changes.pressed("CALM", "SHRINK", 512, 4_096);
        changes.reloaded(true, 7);
        assertThat(new byte[32 << 20]).hasSize(32 << 20);
        ParsedRecording parsed = parse();
        assertThat(parsed.texts("io.remora.Ejection", "endpoint")).containsExactly("127.0.0.1:9");
        assertThat(parsed.texts("io.remora.Ejection", "reason")).containsExactly("consecutive");
        assertThat(parsed.texts("io.remora.Pressure", "stage")).containsExactly("SHRINK");
        assertThat(parsed.types()).contains("io.remora.Reload");
        for (String type : List.of("io.remora.Ejection", "io.remora.Pressure", "io.remora.Reload")) {
            assertThat(parsed.stacks(type)).as(type).isZero();
        }
        // where an event does have one, it is seen
        assertThat(parsed.stacks("jdk.ObjectAllocationSample")).isPositive();
    }

    @Test
    void noSettingsRecordWhereCredentialsMayBe() throws IOException {
        for (String settings : new String[] {"remora", "default", "profile"}) {
            recorder.start(settings, 60_000, 100);
            assertThat(parse().types())
                    .contains("jdk.CPUInformation")
                    .doesNotContain(
                            "jdk.InitialEnvironmentVariable",
                            "jdk.InitialSystemProperty",
                            "jdk.JVMInformation",
                            "jdk.SystemProcess");
            assertThat(recorder.discard()).isTrue();
        }
    }

    @Test
    void theSidecarsSettingsHaveNoEventsOfBuffers() throws IOException {
        recorder.start("remora", 60_000, 100);
        assertThat(parse().types())
                .doesNotContain("jdk.ObjectAllocationInNewTLAB", "jdk.ObjectAllocationOutsideTLAB")
                .contains("jdk.ActiveSetting");
    }

    @Test
    void oneRecordingAtATime() throws IOException {
        assertThat(recorder.stop()).isFalse();
        assertThatThrownBy(recorder::dump).isInstanceOf(IllegalStateException.class);
        recorder.start("remora", 60_000, 100);
        assertThatThrownBy(() -> recorder.start("default", 60_000, 100)).isInstanceOf(IllegalStateException.class);
        assertThat(recorder.state()).startsWith("state: running\nsettings: remora\nduration_ms: 60000\n");
        assertThat(recorder.stop()).isTrue();
        assertThat(Log.changes()).isNull();
        assertThat(recorder.state()).startsWith("state: stopped\n");
        // what has stopped can be dumped still, and be followed by another one
        assertThat(parse().types()).isNotEmpty();
        recorder.start("default", 60_000, 100);
        assertThat(recorder.state()).contains("settings: default");
    }

    @Test
    void unknownSettingsLeaveTheRecordingAsItIs() throws IOException {
        recorder.start("remora", 60_000, 100);
        recorder.stop();
        assertThatThrownBy(() -> recorder.start("/etc/passwd", 60_000, 100))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(recorder.state()).startsWith("state: stopped\n");
    }

    /** The end by its duration switches the sites of events off as well. */
    @Test
    void stopsByItself() throws IOException {
        recorder.start("remora", 1_000, 100);
        Await.until("the end of the recording", () -> Log.changes() == null);
        assertThat(recorder.state()).startsWith("state: stopped\n");
        assertThat(recorder.stop()).isFalse();
    }

    private ParsedRecording parse() throws IOException {
        ByteArrayOutputStream octets = new ByteArrayOutputStream();
        Pieces pieces = recorder.dump();
        for (CharSequence piece = pieces.next(); piece != null; piece = pieces.next()) {
            octets.write(piece.toString().getBytes(StandardCharsets.ISO_8859_1));
        }
        return ParsedRecording.of(directory, octets.toByteArray());
    }
}

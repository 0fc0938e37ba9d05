package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Command;
import io.remora.testkit.Counterpart;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Long work of grpc-go, whose client and server send a PING for each read. Not among the tests of each build: {@code scripts/test-h2} runs it. */
final class GrpcStreamsProgram {
    @TempDir
    static Path directory;

    private static Counterpart server;
    private static Sidecar sidecar;

    @BeforeAll
    static void start() {
        server = Counterpart.grpcServer(directory);
        sidecar =
                Sidecar.start(Setup.at(server.port()).listener("protocol: auto").cluster("protocol: http2"));
    }

    @AfterAll
    static void end() {
        sidecar.close();
        server.close();
    }

    private static void passes(String program, String... words) {
        List<String> command = new ArrayList<>(List.of(Counterpart.program(program)));
        command.addAll(List.of(words));
        Command run = Command.run(directory, command.toArray(new String[0]));
        assertThat(run.status()).as(run.output()).isZero();
        assertThat(sidecar.metrics().sum("remora_http2_abuse_total")).isZero();
        assertThat(sidecar.metrics().sum("remora_backend_http2_connections_ended_total"))
                .isZero();
    }

    /** Messages both ways at 200 a second, uploads and downloads of 64 KiB messages, and calls of which one in ten is given up. */
    @ParameterizedTest
    @ValueSource(strings = {"chat", "upload", "download", "cancel"})
    void carriesThreeThousandMessages(String what) {
        passes("grpc-streams", "127.0.0.1:" + sidecar.address().getPort(), what);
    }

    private static void soaks(String what, int iterations) {
        passes(
                "grpc-client",
                "-server_host=127.0.0.1",
                "-server_port=" + sidecar.address().getPort(),
                "-test_case=" + what,
                "-soak_iterations=" + iterations,
                "-soak_max_failures=0",
                "-soak_per_iteration_max_acceptable_latency_ms=20000",
                "-soak_overall_timeout_seconds=50");
    }

    @Test
    void passesTheSoakOfCalls() {
        soaks("rpc_soak", 600);
    }

    @Test
    void passesTheSoakOfConnections() {
        soaks("channel_soak", 100);
    }
}

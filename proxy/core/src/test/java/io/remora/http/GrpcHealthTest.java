package io.remora.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The two messages of gRPC's health service. */
final class GrpcHealthTest {
    @Test
    void asksForAService() {
        assertThat(HexFormat.of().formatHex(GrpcHealth.request(""))).isEqualTo("0000000000");
        assertThat(HexFormat.of().formatHex(GrpcHealth.request("a.B"))).isEqualTo("00000000050a03612e42");
    }

    @ParameterizedTest
    @CsvSource({
        "00000000020801, true",
        "000000000408020801, true",
        "00000000020802, false",
        "00000000020800, false",
        "0000000000, false",
        "01000000020801, false",
        "000000000208, false",
        "0000000003080101, false",
        "00000000021001, false",
        "00000000030881ff, false",
        "0801, false",
    })
    void readsTheAnswer(String hex, boolean serving) {
        byte[] octets = HexFormat.of().parseHex(hex);
        assertThat(GrpcHealth.isServing(octets, octets.length)).isEqualTo(serving);
    }
}

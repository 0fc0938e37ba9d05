package io.remora.trust;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class IdentitiesTest {
    @ParameterizedTest
    @CsvSource({
        "spiffe://mesh/ns/a, spiffe://mesh/ns/a, true",
        "spiffe://mesh/ns/a, spiffe://mesh/ns/A, false",
        "spiffe://mesh/ns/a, spiffe://mesh/ns/a/, false",
        "spiffe://mesh/ns/a, spiffe://mesh/ns/ab, false",
        "spiffe://mesh/ns/*, spiffe://mesh/ns/a, true",
        "spiffe://mesh/ns/*, spiffe://mesh/ns/a/sa/b, true",
        "spiffe://mesh/ns/*, spiffe://mesh/ns/a-1_2.3, true",
        "spiffe://mesh/ns/*, spiffe://mesh/ns/..., true",
        "spiffe://mesh/ns/*, spiffe://mesh/ns, false",
        "spiffe://mesh/ns/*, spiffe://mesh/ns/, false",
        "spiffe://mesh/ns/*, spiffe://mesh/nsx/a, false",
        "spiffe://mesh/ns/*, spiffe://mesh.evil/ns/a, false",
        "spiffe://mesh/ns/*, spiffe://MESH/ns/a, false",
        "spiffe://mesh/ns/*, SPIFFE://mesh/ns/a, false",
        "spiffe://mesh/ns/*, spiffe://mesh/ns/../admin, false",
        "spiffe://mesh/ns/*, spiffe://mesh/ns/a/.., false",
        "spiffe://mesh/ns/*, spiffe://mesh/ns/./a, false",
        "spiffe://mesh/ns/*, spiffe://mesh/ns//a, false",
        "spiffe://mesh/ns/*, spiffe://mesh/ns/a//b, false",
        "spiffe://mesh/ns/*, spiffe://mesh/ns/a/, false",
        "spiffe://mesh/ns/*, spiffe://mesh/ns/%2e%2e/a, false",
        "spiffe://mesh/ns/*, spiffe://mesh/ns/a?b, false",
        "spiffe://mesh/ns/*, spiffe://mesh/ns/a#b, false",
        "spiffe://mesh/ns/*, spiffe://mesh/ns/*, false",
        "spiffe://mesh/*, spiffe://mesh/a, true",
        "spiffe://mesh/*, spiffe://mesh, false",
        "spiffe://mesh/*, spiffe://mesh2/a, false",
        "client.test, client.test, true",
        "client.test, a.client.test, false",
    })
    void containsWhatThePatternStandsFor(String pattern, String identity, boolean inside) {
        assertThat(new Identities(List.of(pattern)).contain(identity)).isEqualTo(inside);
    }

    @Test
    void nobodyIsAmongNone() {
        assertThat(new Identities(List.of("spiffe://mesh/*")).contain(null)).isFalse();
        assertThat(new Identities(List.of("spiffe://mesh/*")).contain("")).isFalse();
        assertThat(new Identities(List.of()).contain("a")).isFalse();
    }

    @Test
    void anyOfThemWillDo() {
        Identities identities = new Identities(List.of("a", "spiffe://x/*", "b", "spiffe://y/z/*"));
        for (String one : List.of("a", "b", "spiffe://x/1", "spiffe://y/z/1")) {
            assertThat(identities.contain(one)).as(one).isTrue();
        }
        assertThat(identities.contain("spiffe://y/x/1")).isFalse();
    }
}

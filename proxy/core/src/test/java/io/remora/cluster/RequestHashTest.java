package io.remora.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.balance.Draw;
import io.remora.cluster.BalancerConfig.Hash;
import io.remora.cluster.BalancerConfig.Kind;
import io.remora.http.Heads;
import io.remora.http.RequestHead;
import io.remora.seams.SilentClient;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RequestHashTest {
    private static RequestHash hash(Hash of, @Nullable String name) {
        BalancerConfig config = new BalancerConfig(
                Kind.MAGLEV,
                1,
                1,
                of,
                name,
                125,
                new BalancerConfig.Window(12, 0, 0, ""),
                new BalancerConfig.Zones("", 0, 70));
        return new RequestHash(config, new Draw(1));
    }

    private static long header(String... lines) {
        return hash(Hash.HEADER, "X-User").of(Heads.request("GET", "/", lines), new SilentClient("a"));
    }

    private static long cookie(String... lines) {
        return hash(Hash.COOKIE, "id").of(Heads.request("GET", "/", lines), new SilentClient("a"));
    }

    @Test
    void hashesAHeader() {
        assertThat(header("Host: a", "x-user: 7", "X-User: 8"))
                .isEqualTo(header("X-User: 7"))
                .isNotEqualTo(header("X-User: 8"))
                .isNotEqualTo(header("X-User: 77"));
    }

    /** A constant of the names is known by its number, any other by its octets. */
    @Test
    void hashesAHeaderThatTheSidecarReadsItself() {
        RequestHash hash = hash(Hash.HEADER, "user-agent");
        long one = hash.of(Heads.request("GET", "/", "User-Agent: a"), new SilentClient("a"));
        assertThat(hash.of(Heads.request("GET", "/b", "User-Agent: a"), new SilentClient("b")))
                .isEqualTo(one);
        assertThat(hash.of(Heads.request("GET", "/", "User-Agent: c"), new SilentClient("a")))
                .isNotEqualTo(one);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "id=7",
                "id=7; other=1",
                "other=1; id=7",
                "other=1;id=7",
                "idd=1; id=7; id=8",
                "grid=1; id=7",
                "i=; id; x=id=9; id=7"
            })
    void findsACookie(String cookies) {
        assertThat(cookie("Cookie: " + cookies))
                .isEqualTo(cookie("Cookie: id=7"))
                .isNotEqualTo(cookie("Cookie: id=8"));
    }

    @Test
    void findsACookieOnAnotherLine() {
        assertThat(cookie("Cookie: a=1", "Cookie: id=7")).isEqualTo(cookie("Cookie: id=7"));
    }

    /** Where nothing is to be hashed, each request has a number of its own. */
    @ParameterizedTest
    @ValueSource(strings = {"", "id", "ID=7", "ids=7", "id =7", ";;;", " ; ", "=7"})
    void findsNoCookie(String cookies) {
        RequestHash hash = hash(Hash.COOKIE, "id");
        RequestHead head = Heads.request("GET", "/", "Cookie: " + cookies);
        assertThat(hash.of(head, new SilentClient("a"))).isNotEqualTo(hash.of(head, new SilentClient("a")));
    }

    @ParameterizedTest
    @CsvSource({"/a,/a?b=1,true", "/a,/b,false", "/a?,/a?c,true", "/a/,/a,false"})
    void hashesAPathWithoutItsQuery(String one, String other, boolean same) {
        RequestHash hash = hash(Hash.PATH, null);
        boolean equal = hash.of(Heads.request("GET", one), new SilentClient("a"))
                == hash.of(Heads.request("POST", other), new SilentClient("b"));
        assertThat(equal).isEqualTo(same);
    }

    @Test
    void hashesTheClient() {
        RequestHash hash = hash(Hash.CLIENT, null);
        long one = hash.of(Heads.request("GET", "/"), new SilentClient("10.0.0.1"));
        assertThat(hash.of(Heads.request("GET", "/b"), new SilentClient("10.0.0.1")))
                .isEqualTo(one);
        assertThat(hash.of(Heads.request("GET", "/"), new SilentClient("10.0.0.2")))
                .isNotEqualTo(one);
    }
}

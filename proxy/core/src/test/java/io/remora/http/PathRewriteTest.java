package io.remora.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PathRewriteTest {
    private static final long SEED = Long.getLong("remora.fuzz.seed", 3986);
    private static final int CASES = 200_000;
    private static final String[] PIECES = {
        "/",
        "//",
        "a",
        "..",
        ".",
        "%2e",
        "%2E",
        "%2f",
        "%5C",
        "\\",
        ";",
        "?",
        "%",
        "%25",
        "%2",
        "%00",
        ":",
        "@",
        "evil.com",
        "=",
        "&"
    };

    @ParameterizedTest
    @CsvSource({
        "/api, /v2, /api, /v2",
        "/api, /v2, /api/, /v2/",
        "/api, /v2, /api/x/y?q=/api, /v2/x/y?q=/api",
        "/api, /v2, /api?q, /v2?q",
        "/api, /v2/, /api, /v2/",
        "/api, /v2/, /api/x, /v2/x",
        "/api, /, /api, /",
        "/api, /, /api/x, /x",
        "/api, /, /api//evil.com/x, /evil.com/x",
        "/api, /, /api///, /",
        "/api, /v2, /api//x, /v2//x",
        "/api/, /v2, /api/x, /v2/x",
        "/api/, /, /api/, /",
        "/, /v2, /, /v2/",
        "/, /v2, /a%2fb%00?x=%zz, /v2/a%2fb%00?x=%zz",
        "'', /v2, /x, /v2/x",
        "/api, /v2, /api/a..b/...?../.., /v2/a..b/...?../..",
    })
    void putsAnotherPrefixInItsPlace(String matched, String replacement, String target, String rewritten) {
        Octets made = new PathRewrite(matched, false, replacement).apply(Octets.of(target));
        assertThat(made).hasToString(rewritten);
    }

    @Test
    void putsAnotherPathInTheWholeOnesPlace() {
        PathRewrite rewrite = new PathRewrite("/old", true, "/new/");
        assertThat(rewrite.apply(Octets.of("/old"))).hasToString("/new/");
        assertThat(rewrite.apply(Octets.of("/old?a=b?c"))).hasToString("/new/?a=b?c");
    }

    @Test
    void leavesTheAsteriskAlone() {
        assertThat(new PathRewrite("", false, "/v2").apply(Octets.of("*"))).hasToString("*");
    }

    /** Each would lead out of /v2 at a server that decodes, or cuts parameters off, before it resolves dots. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/..",
                "/api/../x",
                "/api/./x",
                "/api/x/..",
                "/api/x/../../y",
                "/api/%2e%2e/x",
                "/api/.%2E/x",
                "/api/%2e",
                "/api/..%2fx",
                "/api/x%2F..",
                "/api/..\\x",
                "/api/x%5c..%5cy",
                "/api/..;a=b/x",
                "/api/..%3b/x",
                "/api/x/..?q",
                "/api//..",
            })
    void refusesDotSegments(String target) {
        assertThat(new PathRewrite("/api", false, "/v2").apply(Octets.of(target)))
                .isNull();
    }

    /** Whatever comes: nothing but the beginning is another one, and no dot segment stays. */
    @Test
    void neverLeadsOut() {
        Random random = new Random(SEED);
        int refused = 0;
        for (int i = 0; i < CASES; i++) {
            StringBuilder rest = new StringBuilder(random.nextInt(8) == 0 ? "" : "/");
            for (int pieces = rest.isEmpty() ? 0 : random.nextInt(7); pieces > 0; pieces--) {
                rest.append(PIECES[random.nextInt(PIECES.length)]);
            }
            boolean root = random.nextBoolean();
            Octets made = new PathRewrite("/api", false, root ? "/" : "/v2").apply(Octets.of("/api" + rest));
            if (made == null) {
                refused++;
                continue;
            }
            String text = made.toString();
            String path = text.indexOf('?') < 0 ? text : text.substring(0, text.indexOf('?'));
            assertThat(path).as(rest.toString()).startsWith(root ? "/" : "/v2").doesNotStartWith("//");
            String resolved = "/" + path.replaceAll("(?i)%2e", ".").replaceAll("(?i)%2f|%5c|\\\\", "/") + "/";
            assertThat(resolved.replaceAll("(?i)(;|%3b)[^/]*", ""))
                    .as(rest.toString())
                    .doesNotContain("/./", "/../");
            assertThat(text)
                    .as(rest.toString())
                    .endsWith(rest.substring(rest.indexOf("?") < 0 ? rest.length() : rest.indexOf("?")));
        }
        assertThat(refused).isBetween(CASES / 20, CASES - CASES / 20);
    }
}

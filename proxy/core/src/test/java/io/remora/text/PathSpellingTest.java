package io.remora.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Rfc3986;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The normalized spelling of paths, and the dot segments that only some servers see. */
final class PathSpellingTest {
    private static final long SEED = Long.getLong("remora.fuzz.seed", 7_270);
    private static final int CASES = 50_000;

    /** Between octets that must not be looked at. */
    private static PathSpelling of(String path) {
        byte[] octets = ("/.%" + path + "2e/..").getBytes(StandardCharsets.ISO_8859_1);
        return new PathSpelling(octets, 3, 3 + path.length());
    }

    private static String text(byte[] octets) {
        return new String(octets, StandardCharsets.ISO_8859_1);
    }

    private static String normalized(String path) {
        return text(of(path).normalized());
    }

    @ParameterizedTest
    @CsvSource({
        "/, /",
        "/a, /a",
        "/%61%2D%2e%5F%7E, /a-._~",
        "/%41%5a%30, /AZ0",
        "/%2f%3a%c3%A9, /%2F%3A%C3%A9",
        "/%2561, /%2561",
        "/%252e%252e/a, /%252e%252e/a",
        "/%, /%",
        "/%4, /%4",
        "/%4g%zz%67, /%4g%zzg",
        "/%%61, /%%61",
        "/%%7a%61, /%za",
        "/%6%31dmin, /%6%31dmin",
        "/%6%2D%31, /%6-1",
        "/%%36%31dmin, /%%361dmin",
        "/., /",
        "/.., /",
        "/./, /",
        "/../, /",
        "/a/., /a/",
        "/a/.., /",
        "/a/b/.., /a/",
        "/a/./b, /a/b",
        "/a/../../b, /b",
        "/%2e/a, /a",
        "/a/%2E%2e, /",
        "/a/.%2e/b, /b",
        "/..., /...",
        "/.a/..b/c../d., /.a/..b/c../d.",
        "//, //",
        "//.., /",
        "/a//b, /a//b",
        "/a//../b, /a/b",
        "/a;/..;/b, /a;/..;/b",
        "/a\\..\\b, /a\\..\\b",
    })
    void isNormalized(String path, String normalized) {
        assertThat(normalized(path)).isEqualTo(normalized);
        assertThat(PathSpelling.normalized(path)).isEqualTo(normalized);
        assertThat(of(path).isNormalized()).isEqualTo(path.equalsIgnoreCase(normalized));
        assertThat(text(of(path).normalizedWith(new byte[] {'x', '?', 'q', 'x'}, 1, 3)))
                .isEqualTo(normalized + "?q");
    }

    @ParameterizedTest
    @CsvSource({"/%61/%c3%a9, /%61/%C3%A9", "/a, /a", "/%2f, /%2F", "/./%zz%2f, /./%zz%2F", "/../%6, /../%6"})
    void isSentAsItIs(String path, String asSent) {
        assertThat(text(of(path).asSent())).isEqualTo(asSent);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/..;/a",
                "/.;x",
                "/a/..%2f",
                "/a%2F..",
                "/a%2f%2e%2e%2fb",
                "/\\..",
                "/a\\.\\b",
                "/..\\",
                "/%5c..",
                "/..%5Cb",
                "/..%3bb",
                "//..",
                "/a//../b",
                "/a//b/../..",
                "/a//%2e%2e/b",
                "/a/;x/../b",
                "/a/%3b/../b",
                "/a/%2F/../b",
                "/a/\\/../b",
                "/a/%5c\\;/../b",
                "/a/..;/../b",
                "/a/x%2F../../b",
            })
    void someDotSegmentsAreUnclear(String path) {
        assertThat(of(path).hasUnclearDots()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/..",
                "/a/../b",
                "/a//b/..",
                "//a/..",
                "/a;..",
                "/a;x/../b",
                "/a/b%2Fc/../d",
                "/;/a",
                "/a%2Fb",
                "/...;/a",
                "/.a\\b",
                "/%252e%252e%252f",
                "/a..b/..c/d..",
            })
    void othersAreClear(String path) {
        assertThat(of(path).hasUnclearDots()).isFalse();
    }

    @Test
    void knowsSeparators() {
        assertThat(of("/a//b").hasDoubleSlash()).isTrue();
        assertThat(of("/a/%2Fb").hasDoubleSlash()).isFalse();
        assertThat(of("/a%2fb").has('/', false)).isTrue();
        assertThat(of("/a/b").has('/', false)).isFalse();
        assertThat(of("/a;b").has(';', true)).isTrue();
        assertThat(of("/a%3Bb").has(';', true)).isTrue();
        assertThat(of("/a%253Bb").has(';', true)).isFalse();
    }

    // ---- against an independent reading of RFC 3986

    private static final String[] PIECES = {
        "/", "/", "/", ".", "..", "a", "b", "%2e", "%2E", "%61", "%2f", "%2F", "%5c", "\\", ";", "%3B", "%", "%6",
        "%zz", "%25", "~", "%7e", "%c3%a9", "x.y", "//"
    };

    private static String draw(Random random) {
        StringBuilder path = new StringBuilder("/");
        for (int count = random.nextInt(12); count > 0; count--) {
            path.append(PIECES[random.nextInt(PIECES.length)]);
        }
        return path.toString();
    }

    @Test
    void agreesWithRfc3986() {
        Random random = new Random(SEED);
        int others = 0;
        for (int i = 0; i < CASES; i++) {
            String path = draw(random);
            PathSpelling spelling = of(path);
            String normalized = normalized(path);
            if (!path.matches(".*%(?![0-9A-Fa-f]{2}).*")) {
                assertThat(normalized).as(path).isEqualTo(Rfc3986.normalized(path));
            }
            assertThat(PathSpelling.normalized(normalized))
                    .as("normalized twice: " + path)
                    .isEqualTo(normalized);
            assertThat(spelling.isNormalized()).as(path).isEqualTo(path.equalsIgnoreCase(normalized));
            others += spelling.isNormalized() ? 0 : 1;
        }
        assertThat(others).isBetween(CASES / 10, CASES * 9 / 10);
    }

    /** A server may do with separators what it likes: no path leads it out of one that both spellings are below. */
    @Test
    void noServerClimbsFurther() {
        Random random = new Random(SEED + 1);
        int judged = 0;
        for (int i = 0; i < CASES; i++) {
            String path = "/p" + draw(random);
            if (of(path).hasUnclearDots() || !isBelow(Rfc3986.normalized(path))) {
                continue;
            }
            judged++;
            for (int habits = 0; habits < Rfc3986.HABITS; habits++) {
                assertThat(isBelow(Rfc3986.resolved(path, habits)))
                        .as(path + " by " + habits)
                        .isTrue();
            }
        }
        assertThat(judged).isGreaterThan(CASES / 20);
    }

    private static boolean isBelow(String path) {
        return path.equals("/p") || path.startsWith("/p/");
    }

    /** Without separators of its own a server resolves a path to what both spellings are. */
    @Test
    void onlySeparatorsAreReadInOtherWays() {
        Random random = new Random(SEED + 2);
        int judged = 0;
        for (int i = 0; i < CASES; i++) {
            String path = draw(random);
            PathSpelling spelling = of(path);
            boolean separated = spelling.hasDoubleSlash() || spelling.has('/', false);
            if (separated || spelling.has('\\', true) || spelling.has(';', true)) {
                continue;
            }
            judged++;
            for (int habits = 0; habits < Rfc3986.HABITS; habits++) {
                assertThat(Rfc3986.resolved(path, habits))
                        .as(path + " by " + habits)
                        .isEqualTo(Rfc3986.resolved(normalized(path), habits));
            }
            assertThat(spelling.hasUnclearDots()).as(path).isFalse();
        }
        assertThat(judged).isGreaterThan(CASES / 20);
    }
}

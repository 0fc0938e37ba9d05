package io.remora.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Contract;
import io.remora.testkit.Failure;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Rfc3986;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A path has other spellings, and none of them takes another route than the path itself. */
@Contract
final class ProtectedPathIT {
    private static final String ADMIN = "match: { prefix: /admin }, cluster: app, ";
    private static final String CLIENTS = ADMIN + "clients: { allow: [10.0.0.0/8] }";
    private static final String REST = "cluster: app";

    @RegisterExtension
    final Stand stand = new Stand();

    private void start(String listener, String... rules) {
        stand.backend.replyOk();
        stand.start(Setup.before(stand.backend).listener(listener).rules(rules));
    }

    private RawResponse get(String target) throws IOException {
        try (RawClient client = stand.client()) {
            return client.send("GET " + target + " HTTP/1.1\r\nHost: app\r\n\r\n")
                    .response();
        }
    }

    private static int status(RawClient client, String target) throws IOException {
        return client.send("GET " + target + " HTTP/1.1\r\nHost: app\r\n\r\n")
                .response()
                .status();
    }

    private void assertBadPath(String target) throws IOException {
        RawResponse response = get(target);
        assertThat(response.status()).as(target).isEqualTo(400);
        assertThat(response.field("Remora-Error")).as(target).isEqualTo(Failure.BAD_PATH.label());
    }

    private String forwarded(String target) throws IOException {
        int before = stand.backend.requests().size();
        assertThat(get(target).status()).as(target).isEqualTo(200);
        assertThat(stand.backend.requests()).hasSize(before + 1);
        return stand.backend.requests().get(before).target();
    }

    // ---- both spellings, which is the default

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/%61dmin",
                "/%61%64%6D%69%6e/x",
                "/./admin",
                "/%2e/admin",
                "/public/../admin",
                "/public/%2e%2e/admin",
                "/public/%2E./admin",
                "/public/.%2e/admin/x",
                "/../admin",
                "/a/b/../../admin?q=/public",
                "/public/../%61dmin",
                "/public/./../admin/.",
                "http://app/public/../admin",
                "http://other/%61dmin",
            })
    void noOtherSpellingPassesTheRule(String target) throws IOException {
        start("", CLIENTS, REST);
        assertThat(get("/admin").status()).isEqualTo(403);
        assertThat(get("http://app/admin/x").status()).isEqualTo(403);
        assertBadPath(target);
        assertThat(stand.backend.requests()).isEmpty();
    }

    /** An endpoint that resolves the path itself must not be asked by the rule of another path. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/admin/../public",
                "/admin/..",
                "/admin/%2e%2e/public",
                "/admin/./../public",
                "/admin/x/../../public",
                "/admin/..?/admin",
                "http://app/admin/../public"
            })
    void noRuleIsForThePathOfAnother(String target) throws IOException {
        start("", ADMIN + "rewrite: { host: admin.test }", REST);
        assertThat(get("/admin").status()).isEqualTo(200);
        assertBadPath(target);
        assertThat(stand.backend.requests()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/public/../other",
                "/%70ublic/%7Euser",
                "/a/./b/",
                "/a/..",
                "/..",
                "/.",
                "//a/../b%2f?x=%00;y",
                "/caf%c3%a9",
                "/%61%zz%",
                "/%2561dmin",
                "/public/%252e%252e/admin",
                "/public?/../admin&%61",
                "/adm%69nistration",
                "/.well-known/x",
                "/a/...",
            })
    void whatTakesOneRouteGoesOnAsItCame(String target) throws IOException {
        start("", CLIENTS, REST);
        assertThat(forwarded(target)).isEqualTo(target);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/admin/%61", "/admin/./x/", "/admin/a/../b", "/admin/%7e"})
    void whatTheProtectingRouteAllowsGoesOnAsItCame(String target) throws IOException {
        start("", ADMIN + "clients: { allow: [127.0.0.0/8] }", REST);
        assertThat(forwarded(target)).isEqualTo(target);
    }

    /** Without a route for a path there is nothing to pass by. */
    @ParameterizedTest
    @ValueSource(strings = {"", "match: { prefix: / }, cluster: app", "match: { host: app }, cluster: app"})
    void whereNoRouteLooksAtPathsAnyPasses(String rule) throws IOException {
        if (rule.isEmpty()) {
            start("", REST);
        } else {
            start("", rule, REST);
        }
        for (String target : List.of("/a/../%61dmin", "/a/..;/b", "/a/..%2fb", "/a//../b", "/a\\..\\b")) {
            assertThat(forwarded(target)).isEqualTo(target);
        }
    }

    @Test
    void theAsteriskIsNoPath() throws IOException {
        start("", CLIENTS, REST);
        try (RawClient client = stand.client()) {
            client.send("OPTIONS * HTTP/1.1\r\nHost: app\r\n\r\n");
            assertThat(client.response("OPTIONS").status()).isEqualTo(200);
            client.send("OPTIONS http://app HTTP/1.1\r\nHost: app\r\n\r\n");
            assertThat(client.response("OPTIONS").status()).isEqualTo(200);
        }
        assertThat(stand.backend.requests())
                .allMatch(request -> request.target().equals("*"));
    }

    @Test
    void aRateLimitIsNotPassedBy() throws IOException {
        start("", "match: { path: /login }, cluster: app, rate-limits: [{ rate: 1/m }]", REST);
        assertThat(get("/login").status()).isEqualTo(200);
        assertThat(get("/login?again").status()).isEqualTo(429);
        for (String target : List.of("/%6Cogin", "/./login", "/x/../login", "/x/%2e%2e/log%69n?y")) {
            assertBadPath(target);
        }
        assertThat(stand.backend.requests()).hasSize(1);
    }

    @Test
    void anAnswerIsNotPassedBy() throws IOException {
        start(
                "",
                "match: { prefix: /private }, respond: { status: 403 }",
                "match: { prefix: /old }, redirect: { prefix: /new }",
                REST);
        assertThat(get("/private/x").status()).isEqualTo(403);
        assertThat(get("/%70rivate/x").status()).isEqualTo(400);
        assertThat(get("/old/%61").field("Location")).isEqualTo("http://app/new/%61");
        assertBadPath("/old/../private");
        assertBadPath("/o%6Cd");
        assertBadPath("/x/../old");
    }

    /** A prefix replaces the path that was matched, in the spelling in which it was. */
    @Test
    void aRewriteIsNotPassedBy() throws IOException {
        start("", "match: { prefix: /api }, cluster: app, rewrite: { prefix: /v2 }", REST);
        assertThat(forwarded("/api/%61?%61")).isEqualTo("/v2/%61?%61");
        for (String target : List.of("/%61pi/x", "/x/../api", "/api/../x", "/api/x/../y", "/api/%2e")) {
            assertBadPath(target);
        }
    }

    // ---- dot segments that only some see

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/public/..;/admin",
                "/public/..;a=b/admin",
                "/public/..%2fadmin",
                "/public/x%2F..%2F..%2Fadmin",
                "/public/%2e%2e%2Fadmin",
                "/public\\..\\admin",
                "/public%5C..%5cadmin",
                "/public/.%5c../admin",
                "/public//../admin",
                "/public//x/../../admin",
                "/public/;/../admin",
                "/public/%2F/../admin",
                "/public/..;/../admin",
            })
    void dotSegmentsThatSomeServersSeeAreRefused(String target) throws IOException {
        start("", CLIENTS, REST);
        assertBadPath(target);
        assertThat(stand.backend.requests()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"//admin", "/admin%2Fx", "/admin;x", "/admin\\x", "/x%2fadmin", "/;/admin", "/x\\admin"})
    void separatorsOfSomeServersAreDataByDefault(String target) throws IOException {
        start("", CLIENTS, REST);
        assertThat(forwarded(target)).isEqualTo(target);
    }

    @ParameterizedTest
    @CsvSource({
        "double-slash, //admin, /admin%2Fx /admin;x /admin\\x",
        "double-slash, /x//, /x",
        "encoded-slash, /admin%2Fx, //admin /admin;x /admin%5Cx",
        "encoded-slash, /x%2f, /x%252f",
        "semicolon, /admin;x, //admin /admin%2Fx /admin\\x",
        "semicolon, /x%3b, /x?;",
        "backslash, /admin\\x, //admin /admin%2Fx /admin;x",
        "backslash, /admin%5cx, /x?\\",
        "'double-slash, encoded-slash, semicolon, backslash', /a;b, /a",
    })
    void separatorsMayBeRefused(String refused, String target, String others) throws IOException {
        stand.backend.replyOk();
        for (String mode : List.of("both", "as-sent", "normalize", "refuse")) {
            String keys = "path: " + mode + "\nrefuse-in-path: [" + refused + "]";
            try (Sidecar sidecar =
                    Sidecar.start(Setup.before(stand.backend).listener(keys).rules(CLIENTS, REST))) {
                RawClient client = sidecar.client();
                assertThat(status(client, target)).as(mode).isEqualTo(400);
                for (String other : others.split(" ", -1)) {
                    assertThat(status(client, other)).as(mode + " " + other).isEqualTo(200);
                }
                client.close();
            }
        }
    }

    // ---- the other ways

    @ParameterizedTest
    @ValueSource(strings = {"/%61dmin", "/./admin", "/x/../admin", "/x/..;/admin", "/x//../admin"})
    void asSentMatchesNoOtherSpelling(String target) throws IOException {
        start("path: as-sent", CLIENTS, REST);
        assertThat(forwarded(target)).isEqualTo(target);
        assertThat(get("/admin/../x").status()).isEqualTo(403);
    }

    @ParameterizedTest
    @CsvSource({
        "/%70ublic/x, /public/x",
        "/a/./b/../c%7e?q=%61/../, /a/c~?q=%61/../",
        "/a/b/.., /a/",
        "/../.., /",
        "/caf%c3%a9?%c3, /caf%C3%A9?%c3",
        "/a%2fb, /a%2Fb",
        "/%2561, /%2561",
        "/%zz%, /%zz%",
        "//a//b, //a//b",
        "http://app/x/../y, /y",
        "http://app?%61, /?%61",
    })
    void normalizeForwardsWhatItMatched(String target, String sent) throws IOException {
        start("path: normalize", CLIENTS, REST);
        assertThat(forwarded(target)).isEqualTo(sent);
    }

    @Test
    void normalizeMatchesWhatItForwards() throws IOException {
        start(
                "path: normalize",
                CLIENTS,
                "match: { prefix: /api }, cluster: app, rewrite: { prefix: /v2 }",
                "match: { path: /old }, redirect: { prefix: /new }",
                REST);
        for (String target : List.of("/%61dmin", "/x/../admin/y", "/x/%2e%2e/admin", "http://app/./admin")) {
            assertThat(get(target).status()).as(target).isEqualTo(403);
        }
        assertThat(stand.backend.requests()).isEmpty();
        assertThat(forwarded("/admin/../public")).isEqualTo("/public");
        assertThat(forwarded("/x/../%61pi/%61?%61")).isEqualTo("/v2/a?%61");
        assertThat(forwarded("/api/x/../y")).isEqualTo("/v2/y");
        assertThat(get("/x/../ol%64?%61").field("Location")).isEqualTo("http://app/new?%61");
        for (String target : List.of("/x/..;/admin", "/x/..%2fadmin", "/x//../admin", "/x\\..\\admin")) {
            assertBadPath(target);
        }
    }

    @Test
    void refuseTakesOneSpellingOnly() throws IOException {
        start("path: refuse", REST);
        for (String target :
                List.of("/%61", "/./a", "/a/..", "/a/%2e", "/a/..;/b", "/a/..%2fb", "/a//../b", "http://app/./a")) {
            assertBadPath(target);
        }
        for (String target : List.of("/", "/a?%61/../", "/caf%c3%a9", "/a%2Fb", "//a", "/a;b", "/.a", "/a/...")) {
            assertThat(forwarded(target)).isEqualTo(target);
        }
        assertThat(get("http://app").status()).isEqualTo(200);
    }

    /** A route is for the path that its own spelling stands for. */
    @Test
    void routesAreNormalizedToo() throws IOException {
        String rule = "match: { prefix: '/%70rivate/caf%c3%a9/' }, cluster: app, clients: { deny: [127.0.0.1] }";
        start("", rule, "match: { path: /x/../y }, respond: { status: 204 }", REST);
        assertThat(get("/private/caf%C3%A9/").status()).isEqualTo(403);
        assertThat(get("/private/caf%c3%a9/x").status()).isEqualTo(403);
        assertBadPath("/%70rivate/caf%C3%A9/");
        assertThat(get("/y").status()).isEqualTo(204);
        assertBadPath("/x/../y");
        assertThat(stand.backend.requests()).isEmpty();
    }

    // ---- drawn by chance

    private static final long SEED = Long.getLong("remora.fuzz.seed", 7_271);
    private static final int CASES = 1_500;
    private static final String[] PIECES = {
        "admin", "%61dmin", "adm%69n", "x", "public", "/", "/", "/", "..", ".", "%2e", "%2E%2e", "%2f", "%5C", ";",
        "\\", "//", "%25", "%c3%a9", "%6", "%", "?", "/admin", "/.."
    };

    private static String draw(Random random) {
        String[] begin = {"http://app/", "/", "/admin", "/admin/", "/x"};
        StringBuilder target = new StringBuilder(begin[random.nextInt(begin.length)]);
        for (int count = random.nextInt(9); count > 0; count--) {
            target.append(PIECES[random.nextInt(PIECES.length)]);
        }
        return target.toString();
    }

    private static boolean isAdmins(String path) {
        return path.equals("/admin") || path.startsWith("/admin/");
    }

    private static String path(String target) {
        String local = target.startsWith("http://app") ? target.substring("http://app".length()) : target;
        return local.contains("?") ? local.substring(0, local.indexOf('?')) : local;
    }

    /** Each request at an endpoint passed the rule of its path, in either of the two spellings. */
    @ParameterizedTest
    @ValueSource(strings = {"both", "normalize"})
    void everyPathComesByItsOwnRule(String mode) throws IOException {
        start(
                "path: " + mode,
                "name: admin, " + ADMIN + "request-headers: { set: { X-Route: '{route}' } }",
                "name: rest, cluster: app, request-headers: { set: { X-Route: '{route}' } }");
        Random random = new Random(SEED);
        List<String> passed = new ArrayList<>();
        try (RawClient client = stand.client()) {
            for (int i = 0; i < CASES; i++) {
                String target = draw(random);
                int status = status(client, target);
                assertThat(status).as(target).isIn(200, 400);
                if (status == 200) {
                    passed.add(target);
                }
            }
        }
        List<RawRequest> requests = stand.backend.requests();
        assertThat(requests).hasSize(passed.size()).hasSizeBetween(CASES / 10, CASES * 9 / 10);
        int toAdmin = 0;
        for (int i = 0; i < passed.size(); i++) {
            String asked = path(passed.get(i));
            String came = path(requests.get(i).target());
            boolean admins = requests.get(i).field("X-Route").equals("admin");
            toAdmin += admins ? 1 : 0;
            assertThat(isAdmins(came)).as(asked).isEqualTo(admins);
            assertThat(isAdmins(Rfc3986.normalized(asked))).as(asked).isEqualTo(admins);
            if (mode.equals("both")) {
                assertThat(came).isEqualTo(asked);
            }
        }
        assertThat(toAdmin).isGreaterThan(CASES / 50);
    }
}

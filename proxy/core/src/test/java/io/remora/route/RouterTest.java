package io.remora.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.Options;
import io.remora.config.model.PathConfig;
import io.remora.config.model.RouteConfig;
import io.remora.config.model.RouteMatch;
import io.remora.http.Heads;
import io.remora.http.RequestHead;
import io.remora.template.HostTemplate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How a request is compared with each part of a route. */
final class RouterTest {
    private static final PathConfig PATHS = new PathConfig(PathConfig.Mode.AS_SENT, List.of());

    private final List<RouteConfig> routes = new ArrayList<>();

    /** One more route, named by its position. */
    private RouterTest route(
            @Nullable String host,
            @Nullable String path,
            @Nullable String prefix,
            @Nullable String method,
            Map<String, String> headers) {
        String name = Integer.toString(routes.size());
        routes.add(new RouteConfig(name, new RouteMatch(host, path, prefix, method, headers), "app"));
        return this;
    }

    private RouterTest host(String host) {
        return route(host, null, null, null, Map.of());
    }

    private RouterTest path(String path) {
        return route(null, path, null, null, Map.of());
    }

    private RouterTest prefix(String prefix) {
        return route(null, null, prefix, null, Map.of());
    }

    private RouterTest method(String method) {
        return route(null, null, null, method, Map.of());
    }

    private RouterTest headers(Map<String, String> headers) {
        return route(null, null, null, null, headers);
    }

    private RouterTest everything() {
        return headers(Map.of());
    }

    /** The position of the route that takes it, or "none". */
    private String taken(RequestHead head) {
        return taken(head, null);
    }

    private String taken(RequestHead head, @Nullable String identity) {
        Router router = new Router(routes, PATHS);
        RouteConfig route = router.route(head, router.endOfPlainPath(head.target), identity);
        return route == null ? "none" : route.name();
    }

    @ParameterizedTest
    @CsvSource({
        "app.example, 0",
        "APP.Example, 0",
        "app.example:8080, 0",
        "app.example., 0",
        "APP.example.:8080, 0",
        "%61pp.ex%61mple%2E, 0",
        "app.example.., none",
        "app%2fexample, none",
        "x.app.example, none",
        "example, none",
        "a.wild.example, 1",
        "a.b.wild.example, 1",
        "A.Wild.EXAMPLE:80, 1",
        "a.wild.example.:80, 1",
        "a.%57ild.example, 1",
        "wild.example, none",
        ".wild.example, none",
        "xwild.example, none",
        "a.wild.example.org, none",
        "127.0.0.1, 2",
        "127.0.0.1:1, 2",
        "127.0.0.1.:1, 2",
        "[::ffff:127.0.0.1], 2",
        "[::FFFF:7f00:1]:80, 2",
        "127.1, none",
        "[::1], 3",
        "[::1]:80, 3",
        "[0:0:0:0:0:0:0:1], 3",
        "[0000::0001]:80, 3",
        "[FD00::A], 4",
        "[fd00:0:0::a], 4",
        "[::2], none",
        "'', none",
    })
    void byHost(String authority, String expected) {
        host("app.example")
                .host("*.wild.example")
                .host("127.0.0.1")
                .host("[::1]")
                .host("[fd00::0:a]");
        assertThat(taken(Heads.requestTo(authority, "GET", "/"))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "/exact, 0",
        "/exact?q=1, 0",
        "/exact?, 0",
        "/exact/, none",
        "/exact/x, none",
        "/Exact, none",
        "/pre, 1",
        "/pre/, 1",
        "/pre/a/b, 1",
        "/pre?x, 1",
        "/pre/?x, 1",
        "/prefix, none",
        "/pr, none",
        "/pre%2Fa, none",
        "//pre, none",
        "/slash/, 2",
        "/slash/x, 2",
        "/slash, none",
        "/?/pre, none",
        "/, none",
        "*, none",
    })
    void byPath(String target, String expected) {
        path("/exact").prefix("/pre").prefix("/slash/");
        assertThat(taken(Heads.request("GET", target))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"GET, 0", "POST, 1", "get, none", "PURGE, 2", "DELETE, none"})
    void byMethod(String method, String expected) {
        method("GET").method("POST").method("PURGE");
        assertThat(taken(Heads.request(method, "/"))).isEqualTo(expected);
    }

    @Test
    void byHeaders() {
        headers(Map.of("x-tier", "gold", "x-zone", "b")).headers(Map.of("x-tier", "gold"));
        assertThat(taken(Heads.request("GET", "/", "x-TIER: gold", "X-Zone: b")))
                .isEqualTo("0");
        assertThat(taken(Heads.request("GET", "/", "X-Tier: gold"))).isEqualTo("1");
        assertThat(taken(Heads.request("GET", "/", "X-Tier: Gold"))).isEqualTo("none");
        assertThat(taken(Heads.request("GET", "/", "X-Tier: golden"))).isEqualTo("none");
        assertThat(taken(Heads.request("GET", "/", "X-Tier: silver", "X-Tier: gold")))
                .isEqualTo("1");
        assertThat(taken(Heads.request("GET", "/", "X-Zone: b"))).isEqualTo("none");
    }

    @Test
    void byIdentity() {
        for (String pattern : List.of("spiffe://mesh/ns/a/sa/b", "spiffe://mesh/ns/a/*", "client.test")) {
            RouteMatch match = new RouteMatch(null, null, null, null, Map.of(), pattern);
            routes.add(new RouteConfig(Integer.toString(routes.size()), match, "app"));
        }
        path("/open");
        RequestHead head = Heads.request("GET", "/");
        assertThat(taken(head, "spiffe://mesh/ns/a/sa/b")).isEqualTo("0");
        assertThat(taken(head, "spiffe://mesh/ns/a/sa/c")).isEqualTo("1");
        assertThat(taken(head, "client.test")).isEqualTo("2");
        assertThat(taken(head, "spiffe://mesh/ns/b/sa/b")).isEqualTo("none");
        assertThat(taken(head, null)).isEqualTo("none");
        assertThat(taken(Heads.request("GET", "/open"), null)).isEqualTo("3");
    }

    @ParameterizedTest
    @CsvSource({
        "a.test, 0",
        "A.B.Test.:80, 0",
        "test, 1",
        "a.exact, 0",
        "x.a.exact, 1",
        "10.1.2.3, 0",
        "[::ffff:10.1.2.3]:80, 0",
        "11.1.2.3, 1",
        "[fd00::1], 0",
        "[fd00::2], 1",
        "a.test.evil, 1",
        "a%2etest, 1",
    })
    void byTheHostsOfATemplate(String authority, String expected) {
        List<String> hosts = List.of("*.test", "a.exact", "10.0.0.0/8", "fd00::1");
        HostTemplate template = new HostTemplate(hosts, 1, 1);
        RouteMatch match = new RouteMatch(null, null, null, null, Map.of());
        routes.add(new RouteConfig("0", match, "app", null, Options.NONE.with(HostTemplate.TEMPLATE, template)));
        everything();
        assertThat(taken(Heads.requestTo(authority, "GET", "/"))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"a, 0", "a.b, 0", "10.0.0.1, none", "[::1], none", "a..b, none"})
    void anyNameIsNoAddress(String authority, String expected) {
        RouteMatch match = new RouteMatch(null, null, null, null, Map.of());
        HostTemplate template = new HostTemplate(List.of("*"), 1, 1);
        routes.add(new RouteConfig("0", match, "app", null, Options.NONE.with(HostTemplate.TEMPLATE, template)));
        assertThat(taken(Heads.requestTo(authority, "GET", "/"))).isEqualTo(expected);
    }

    @Test
    void byTheFirstThatMatches() {
        route(null, null, "/a", "POST", Map.of()).prefix("/a").host("h").everything();
        assertThat(taken(Heads.requestTo("h", "POST", "/a/b"))).isEqualTo("0");
        assertThat(taken(Heads.requestTo("h", "GET", "/a/b"))).isEqualTo("1");
        assertThat(taken(Heads.requestTo("h", "GET", "/b"))).isEqualTo("2");
        assertThat(taken(Heads.requestTo("x", "GET", "/b"))).isEqualTo("3");
        assertThat(taken(Heads.requestTo("x", "OPTIONS", "*"))).isEqualTo("3");
    }

    @Test
    void byNoneWhereThereIsNone() {
        assertThat(taken(Heads.request("GET", "/"))).isEqualTo("none");
    }
}

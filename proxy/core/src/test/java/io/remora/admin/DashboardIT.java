package io.remora.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.Limits;
import io.remora.config.model.LogLevel;
import io.remora.dashboard.EventStream;
import io.remora.log.Log;
import io.remora.metrics.ListenerMetric;
import io.remora.testkit.Await;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.transport.Handshake;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The dashboard over raw sockets: its page, its events, and the requests that may change something. */
final class DashboardIT {
    private static final int MOST_OCTETS = 60_000;
    private static final Pattern TOKEN = Pattern.compile("data-token=\"([0-9a-f]{32})\"");
    private static final String EVENTS = "GET /dashboard/events HTTP/1.1\r\nHost: localhost\r\n";

    private final LogLevel levelBefore = Log.level();
    private final TestControl looking = TestControl.onLoopback();
    private final TestControl acting = TestControl.acting();
    private AdminServer look;
    private AdminServer act;

    @BeforeEach
    void start() throws IOException {
        // a reading each 20 ms instead of 2 s, and 2 s for each step of a client
        look = new AdminServer(
                looking,
                Handshake.NONE,
                TimeUnit.SECONDS.toNanos(2),
                Limits.UNLIMITED,
                TimeUnit.MILLISECONDS.toNanos(20),
                null);
        act = AdminServer.start(acting, Handshake.NONE);
    }

    @AfterEach
    void stop() {
        look.close();
        act.close();
        Log.level(levelBefore);
    }

    // ---- the page

    @Test
    void thePageIsSmallAndAsksNobodyElse() throws IOException {
        int octets = 0;
        for (String part : List.of("/dashboard", "/dashboard/page.css", "/dashboard/page.js")) {
            RawResponse response = get(act, part);
            assertThat(response.status()).isEqualTo(200);
            octets += response.body().length;
            // the name space of SVG is a name, and nothing is there
            assertThat(response.bodyText().replace("'http://www.w3.org/2000/svg'", ""))
                    .doesNotContain("http:", "https:", "//cdn", "@import", "url(");
        }
        assertThat(octets).isLessThanOrEqualTo(MOST_OCTETS);
    }

    @ParameterizedTest
    @CsvSource({
        "/dashboard, text/html; charset=utf-8",
        "/dashboard/page.css, text/css; charset=utf-8",
        "/dashboard/page.js, text/javascript; charset=utf-8"
    })
    void thePolicyAllowsOnlyFilesOfTheListener(String path, String type) throws IOException {
        RawResponse response = get(look, path);
        assertThat(response.field("content-type")).isEqualTo(type);
        assertThat(response.field("content-security-policy"))
                .isEqualTo("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
                        + " img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
        assertThat(response.field("x-frame-options")).isEqualTo("DENY");
        assertThat(response.field("x-content-type-options")).isEqualTo("nosniff");
        assertThat(response.field("cross-origin-resource-policy")).isEqualTo("same-origin");
        assertThat(response.field("referrer-policy")).isEqualTo("no-referrer");
        assertThat(response.field("cache-control")).isEqualTo("no-store");
        assertThat(send(look, "HEAD " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n", "HEAD")
                        .status())
                .isEqualTo(200);
    }

    /** No style and no script stands in the page itself, which the policy would keep from running. */
    @Test
    void thePageHasNothingInline() throws IOException {
        assertThat(get(act, "/dashboard").bodyText())
                .doesNotContain("<style", " style=", "<script>", "javascript:")
                .doesNotContainPattern("\\son\\w+=");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/dashboard/",
                "/dashboards",
                "/dashboard/page",
                "/dashboard/dashboard-buttons.html",
                "/dashboard/../dashboard",
                "/dashboard//page.js"
            })
    void nothingElseIsThere(String path) throws IOException {
        assertThat(get(look, path).status()).isEqualTo(404);
    }

    @Test
    void thePageTakesNoPost() throws IOException {
        for (String path : List.of("/dashboard", "/dashboard/page.js", "/dashboard/events")) {
            assertThat(post(look, path, "").status()).isEqualTo(405);
        }
    }

    @Test
    void buttonsAreThereOnlyWhereTheyMayBeUsed() throws IOException {
        assertThat(get(look, "/dashboard").bodyText()).doesNotContain("id=\"drain\"", "data-token", "{buttons}");
        assertThat(get(act, "/dashboard").bodyText()).contains("id=\"drain\"", "id=\"level\"", "id=\"profile\"");
        // the same page gives the same token, another process another one; profiles have a switch of their own as well
        assertThat(token()).isEqualTo(token()).hasSize(32);
        AdminServer other = AdminServer.start(TestControl.acting(false), Handshake.NONE);
        try {
            RawResponse page = get(other, "/dashboard");
            assertThat(tokenOf(page)).isNotEqualTo(token());
            assertThat(page.bodyText()).contains("id=\"drain\"").doesNotContain("id=\"profile\"", "{profile}");
            String own = "Origin: http://" + host(other) + "\r\nRemora-Token: " + tokenOf(page);
            assertThat(post(other, host(other), "/profile?seconds=0", own).status())
                    .isEqualTo(403);
        } finally {
            other.close();
        }
    }

    // ---- who may act

    @Test
    void theDashboardMayDrainChangeTheLogLevelAndTakeAProfile() throws IOException {
        String own = "Origin: http://" + host(act) + "\r\nSec-Fetch-Site: same-origin\r\nRemora-Token: " + token();
        assertThat(post(act, host(act), "/log-level?level=error", own).bodyText())
                .isEqualTo("error\n");
        assertThat(Log.level()).isEqualTo(LogLevel.ERROR);
        assertThat(post(act, host(act), "/drain", own).status()).isEqualTo(202);
        assertThat(acting.drains).hasValue(1);
        // the profiler has read the request, and takes none of 0 s
        assertThat(post(act, host(act), "/profile?seconds=0", own).status()).isEqualTo(400);
        // what the page has no button for stays refused
        assertThat(post(act, host(act), "/shutdown", own).status()).isEqualTo(403);
        assertThat(post(act, host(act), "/reload", own).status()).isEqualTo(403);
        assertThat(acting.shutdowns).hasValue(0);
    }

    /** Through a forwarded port, or by another name of this machine, the page has that origin. */
    @ParameterizedTest
    @ValueSource(strings = {"localhost:8080", "127.0.0.1", "[::1]:9990"})
    void theOriginIsThatOfTheHost(String host) throws IOException {
        String fields = "Origin: http://" + host + "\r\nRemora-Token: " + token();
        assertThat(post(act, host, "/drain", fields).status()).isEqualTo(202);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Origin: http://evil.example\r\nRemora-Token: TOKEN",
                "Origin: null\r\nRemora-Token: TOKEN",
                "Origin: \r\nRemora-Token: TOKEN",
                // another port of this machine, another scheme, another name, a longer host
                "Origin: http://localhost:1\r\nRemora-Token: TOKEN",
                "Origin: http://localhost\r\nRemora-Token: TOKEN",
                "Origin: https://HOST\r\nRemora-Token: TOKEN",
                "Origin: http://HOST.evil.example\r\nRemora-Token: TOKEN",
                "Origin: http://HOST/\r\nRemora-Token: TOKEN",
                "Origin: http://evil.example, http://HOST\r\nRemora-Token: TOKEN",
                "Origin: http://HOST\r\nOrigin: http://evil.example\r\nRemora-Token: TOKEN",
                "Origin: http://HOST\r\nSec-Fetch-Site: cross-site\r\nRemora-Token: TOKEN",
                "Origin: http://HOST\r\nSec-Fetch-Site: same-site\r\nRemora-Token: TOKEN",
                // without the token, with a wrong one, a part of it, or two
                "Origin: http://HOST",
                "Origin: http://HOST\r\nRemora-Token: ",
                "Origin: http://HOST\r\nRemora-Token: 00000000000000000000000000000000",
                "Origin: http://HOST\r\nRemora-Token: TOKEN0",
                "Origin: http://HOST\r\nRemora-Token: TOKEN\r\nRemora-Token: TOKEN",
                "Origin: http://HOST\r\nCookie: Remora-Token=TOKEN"
            })
    void otherPagesMayNot(String fields) throws IOException {
        String sent = fields.replace("TOKEN", token()).replace("HOST", host(act));
        for (String path : List.of("/drain", "/log-level?level=error", "/profile", "/reload", "/shutdown")) {
            assertThat(post(act, host(act), path, sent).status()).as(path).isEqualTo(403);
        }
        assertThat(acting.drains).hasValue(0);
        assertThat(acting.shutdowns).hasValue(0);
        assertThat(Log.level()).isEqualTo(levelBefore);
    }

    /** A page under a name that resolves to this address (DNS rebinding) is of its own origin, and is refused by its host. */
    @ParameterizedTest
    @ValueSource(strings = {"evil.example", "localhost.evil.example:9990", "127.0.0.1.evil.example", "127.0.0.1%00"})
    void aNameThatResolvesHereMayNeitherLookNorAct(String name) throws IOException {
        String own = "Origin: http://" + name + "\r\nRemora-Token: " + token();
        assertThat(post(act, name, "/drain", own).status()).isIn(400, 403);
        for (String path : List.of("/dashboard", "/dashboard/page.js", "/dashboard/events")) {
            RawResponse response = send(act, "GET " + path + " HTTP/1.1\r\nHost: " + name + "\r\n\r\n", "GET");
            assertThat(response.status()).isIn(400, 403);
            assertThat(response.bodyText()).doesNotContain(token());
        }
        assertThat(acting.drains).hasValue(0);
    }

    @Test
    void noPageActsWhereOnlyLookingIsAllowed() throws IOException {
        for (String token : List.of("", "\r\nRemora-Token: ", "\r\nRemora-Token: " + token())) {
            String own = "Origin: http://" + host(look) + token;
            assertThat(post(look, host(look), "/drain", own).status()).isEqualTo(403);
            assertThat(post(look, host(look), "/log-level?level=error", own).status())
                    .isEqualTo(403);
        }
        assertThat(looking.drains).hasValue(0);
    }

    /** A program, which has no Origin, is not asked for a token. */
    @Test
    void programsActAsBefore() throws IOException {
        assertThat(post(look, "/drain", "X: y").status()).isEqualTo(202);
        assertThat(post(act, "/drain", "X: y").status()).isEqualTo(202);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Origin: http://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site"})
    void anotherPageTakesNoPlaceOfAViewer(String field) throws IOException {
        assertThat(send(look, EVENTS + field + "\r\n\r\n", "GET").status()).isEqualTo(403);
    }

    // ---- the events

    @Test
    void aViewerIsAnsweredWithAStream() throws IOException {
        try (RawClient client = RawClient.connect(look.address())) {
            RawResponse head = client.send(EVENTS + "\r\n").responseHead();
            assertThat(head.status()).isEqualTo(200);
            assertThat(head.field("content-type")).isEqualTo("text/event-stream; charset=utf-8");
            assertThat(head.field("cache-control")).isEqualTo("no-store");
            assertThat(head.field("content-length")).isNull();
        }
        assertThat(send(look, EVENTS.replace("GET", "HEAD") + "\r\n", "HEAD").field("content-type"))
                .startsWith("text/event-stream");
    }

    @Test
    void itTellsWhatThePagesTell() throws IOException {
        looking.ready = true;
        try (EventStream viewer = EventStream.open(RawClient.connect(look.address()))) {
            assertThat(viewer.row('p')).containsEntry("ready", 1L).containsEntry("pool", 1_024L);
            assertThat((Long) viewer.row('p').get("rss")).isGreaterThan(10_000);
            assertThat(viewer.row('c')).containsEntry("gen", 2L).containsEntry("last", "refused:\nfirst\nsecond\n");
            assertThat(viewer.row('e', "n", "127.0.0.1:8081"))
                    .containsEntry("in", "app")
                    .containsEntry("op", 4L)
                    .containsEntry("st", "in-use");
            assertThat(viewer.row('o', "n", "loop-0")).isNotNull();
            assertThat((Long) viewer.row('j').get("cls")).isGreaterThan(1_000);
            assertThat(viewer.row('k')).containsKeys("used", "max");
            assertThat(viewer.row('g')).containsKeys("ex", "ms");
            looking.listener.add(ListenerMetric.EXCHANGES_STARTED, 3);
            looking.ready = false;
            viewer.until("three in flight", 50, now -> Long.valueOf(3)
                    .equals(now.row('l', "n", "ingress").get("fl")));
            assertThat(viewer.row('p')).containsEntry("ready", 0L);
        }
    }

    @Test
    void aFurtherViewerIsRefusedUntilOneLeaves() throws IOException {
        List<EventStream> viewers = new ArrayList<>();
        try {
            for (int i = 0; i < 4; i++) {
                viewers.add(EventStream.open(RawClient.connect(look.address())));
            }
            assertThat(send(look, EVENTS + "\r\n", "GET").status()).isEqualTo(503);
            for (EventStream each : viewers) {
                each.next();
            }
            viewers.remove(0).close();
            Await.until("a place is free", () -> statusOfEvents() == 200);
        } finally {
            viewers.forEach(EventStream::close);
        }
    }

    private int statusOfEvents() {
        try (RawClient client = RawClient.connect(look.address())) {
            return client.send(EVENTS + "\r\n").responseHead().status();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aViewerThatDoesNotReadIsCutAndOthersSeeOn() throws IOException {
        try (RawClient stuck = RawClient.connect(look.address(), 4_096);
                EventStream other = EventStream.open(RawClient.connect(look.address()))) {
            stuck.send(EVENTS + "\r\n");
            // the end of the connection shows in what it still sends, long before anything is read from it
            other.until("the cut", 3_000, now -> !stuck.trySend(new byte[] {'x'}));
            other.next();
            assertThat(stuck.readToEnd().length).isLessThan(200_000);
        }
    }

    @Test
    void nothingIsWatchedOnceNobodyLooks() throws IOException {
        EventStream viewer = EventStream.open(RawClient.connect(look.address()));
        assertThat(looking.listener.watch()).isNotNull();
        viewer.close();
        Await.until("the watch has ended", () -> looking.listener.watch() == null);
        // and again for the next one
        try (EventStream next = EventStream.open(RawClient.connect(look.address()))) {
            assertThat(looking.listener.watch()).isNotNull();
            next.next();
        }
    }

    /** The interval of the latency log belongs to its reader alone. */
    @Test
    void viewersLeaveTheLatencyLogAlone() throws IOException {
        looking.listener.record(ListenerMetric.TOTAL_TIME, 5_000_000);
        try (EventStream viewer = EventStream.open(RawClient.connect(look.address()))) {
            viewer.next();
            looking.listener.record(ListenerMetric.TOTAL_TIME, 5_000_000);
            viewer.next();
        }
        assertThat(totalsLogged()).isEqualTo(2);
        assertThat(get(look, "/metrics").bodyText())
                .contains("remora_total_time_seconds_count{listener=\"ingress\"} 2\n");
    }

    private long totalsLogged() throws IOException {
        byte[] text = get(look, "/latency.hlog").body();
        HistogramLogReader reader = new HistogramLogReader(new ByteArrayInputStream(text));
        while (reader.hasNext()) {
            EncodableHistogram interval = reader.nextIntervalHistogram();
            if (interval.getTag().equals("ingress.total")) {
                return ((Histogram) interval).getTotalCount();
            }
        }
        throw new AssertionError("no ingress.total");
    }

    // ---- requests

    private String token() throws IOException {
        return tokenOf(get(act, "/dashboard"));
    }

    private static String tokenOf(RawResponse page) {
        Matcher token = TOKEN.matcher(page.bodyText());
        assertThat(token.find()).as(page.bodyText()).isTrue();
        return token.group(1);
    }

    private static String host(AdminServer server) {
        return "127.0.0.1:" + server.address().getPort();
    }

    private static RawResponse get(AdminServer server, String path) throws IOException {
        return send(server, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET");
    }

    private static RawResponse post(AdminServer server, String path, String fields) throws IOException {
        return post(server, "localhost", path, fields.isEmpty() ? "X: y" : fields);
    }

    private static RawResponse post(AdminServer server, String host, String path, String fields) throws IOException {
        return send(
                server,
                "POST " + path + " HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 0\r\n" + fields + "\r\n\r\n",
                "POST");
    }

    private static RawResponse send(AdminServer server, String request, String method) throws IOException {
        try (RawClient client = RawClient.connect(server.address())) {
            return client.send(request).response(method);
        }
    }
}

package io.remora.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.remora.dashboard.DevTools;
import io.remora.metrics.WatchedNames;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.Chromium;
import io.remora.testkit.NativeLibrary;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import io.remora.testkit.SidecarProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The dashboard in Chromium: light and dark, on a phone and on a desktop, by the keyboard, and judged by axe. {@code
 * scripts/test-dashboard} runs it, and leaves screenshots in {@code target/dashboard}.
 */
final class DashboardProgram {
    private static final Path SHOTS = Path.of("target/dashboard");
    private static final String YAML = """
            admin: { address: "127.0.0.1:0", pages: PAGES, profile: true }
            log-level: warn
            listeners:
              - name: test
                address: "127.0.0.1:0"
                routes:
            MANY
                  - { name: orders, match: { prefix: /orders }, cluster: orders }
                  - { name: carts, match: { prefix: /carts }, cluster: carts }
                  - { name: pages, cluster: pages }
              - { name: barrier, address: "127.0.0.1:0", cluster: barrier }
            clusters:
              orders:
                endpoints: ["127.0.0.1:${BACKEND}", "127.0.0.1:${BACKEND_1}"]
                accrual: {}
              carts: { endpoints: ["127.0.0.1:${BACKEND}"] }
              pages: { endpoints: ["127.0.0.1:${BACKEND}"] }
              barrier: { endpoints: ["127.0.0.1:${BARRIER}"] }
            """;

    private static final int MANY = 150;

    @TempDir
    Path directory;

    private final AtomicInteger served = new AtomicInteger();

    private void serve(BackendConnection connection) throws IOException {
        String target = connection.readRequest().target();
        // some take longer, so that percentiles differ
        int turn = served.incrementAndGet();
        LockSupport.parkNanos(turn % 50 == 0 ? 20_000_000 : turn % 5 * 300_000L);
        connection.write(
                target.startsWith("/carts") && turn % 40 == 0
                        ? "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"
                        : RecordingBackend.OK);
    }

    private static void load(Sidecar sidecar, AtomicBoolean stops) {
        List<String> paths = List.of("/orders/1", "/carts/2", "/", "/orders/3");
        try (RawClient client = sidecar.client()) {
            for (int i = 0; !stops.get(); i++) {
                client.send("GET " + paths.get(i % paths.size()) + " HTTP/1.1\r\nHost: app\r\n\r\n")
                        .response();
                LockSupport.parkNanos(2_000_000);
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String yaml(String pages) {
        StringBuilder many = new StringBuilder();
        for (int i = 0; i < MANY; i++) {
            many.append(i == 0 ? "" : "\n")
                    .append("      - { name: route-" + i + ", match: { path: /" + i + " }, cluster: pages }");
        }
        return YAML.replace("PAGES", pages).replace("MANY", many);
    }

    /** Runs a test against a page of a sidecar that has traffic, one good backend and one that breaks its responses. */
    private void inBrowser(String pages, PageTest test) throws Exception {
        assumeFalse(Chromium.program().isEmpty(), "chromium is not installed");
        try (RecordingBackend good = RecordingBackend.start().onRequest(this::serve);
                RecordingBackend bad = RecordingBackend.start().reply("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n");
                Sidecar sidecar = Sidecar.of(yaml(pages), good, bad)) {
            String origin;
            try (RawClient admin = sidecar.adminClient()) {
                origin = "http://127.0.0.1:" + admin.socket().getPort();
            }
            AtomicBoolean stops = new AtomicBoolean();
            Thread load = new Thread(() -> load(sidecar, stops), "load");
            try (Chromium browser = new Chromium(directory, null)) {
                browser.open(origin + "/dashboard");
                try (DevTools page = new DevTools(browser.debugPort())) {
                    for (String domain : List.of("Page", "Network", "Log", "Runtime")) {
                        page.call(domain + ".enable", Map.of());
                    }
                    page.call("Page.reload", Map.of());
                    page.until("document.querySelector('[data-table=l] tbody th') !== null");
                    load.start();
                    page.until("document.querySelectorAll('[data-table=r] tbody th').length === 3"
                            + " && document.querySelectorAll('[data-table=f] tbody th').length > 2"
                            + " && document.querySelector('[data-v=\"p.rss\"]').textContent !== '–'");
                    test.judge(page, sidecar);
                    assertThat(page.events("Network.requestWillBeSent"))
                            .isNotEmpty()
                            .allSatisfy(each -> assertThat(((Map<?, ?>) each.get("request"))
                                            .get("url")
                                            .toString())
                                    .matches(url -> url.startsWith(origin + '/') || url.startsWith("data:")));
                    // a violation of the policy, a script's error or a request in vain
                    assertThat(page.events("Log.entryAdded")).isEmpty();
                    assertThat(page.events("Runtime.exceptionThrown")).isEmpty();
                }
            } finally {
                stops.set(true);
                load.join();
            }
        }
    }

    private interface PageTest {
        void judge(DevTools page, Sidecar sidecar) throws IOException;
    }

    @Test
    void axeFindsNothing() throws Exception {
        String axe = axe();
        Files.createDirectories(SHOTS);
        for (String pages : List.of("look", "act")) {
            inBrowser(pages, (page, sidecar) -> {
                page.until(
                        "document.querySelectorAll('.spark polyline')[0].getAttribute('points').split(' ').length > 7");
                for (String scheme : List.of("light", "dark")) {
                    for (int width : new int[] {390, 1280}) {
                        emulate(page, scheme, width);
                        shoot(page, pages + "-" + scheme + "-" + width, width);
                        judge(page, axe, pages + " " + scheme + " " + width);
                        assertThat(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))
                                .as("only tables scroll sideways at " + width)
                                .isEqualTo(true);
                    }
                }
            });
        }
    }

    private static String axe() throws IOException {
        return Files.readString(Path.of(System.getProperty("remora.test.axe"), "node_modules/axe-core/axe.min.js"));
    }

    private static void judge(DevTools page, String axe, String what) {
        page.evaluate(axe + "; 1");
        assertThat(page.evaluate("axe.run(document, {resultTypes: ['violations']}).then(all =>"
                        + " JSON.stringify(all.violations.map(one => [one.id, one.nodes.map(node => node.html)])))"))
                .as(what)
                .isEqualTo("[]");
    }

    /** The three routes of the load and its four endpoints have rows too. */
    @Test
    void theEndOfATableCountsTheRowsThatAreMissing() throws Exception {
        String axe = axe();
        Files.createDirectories(SHOTS);
        String foot = "document.querySelector('[data-table=r] tfoot')";
        inBrowser("look", (page, sidecar) -> {
            assertThat(page.evaluate(foot + ".hidden")).isEqualTo(true);
            try (RawClient client = sidecar.client()) {
                for (int i = 0; i < MANY; i++) {
                    client.send("GET /" + i + " HTTP/1.1\r\nHost: app\r\n\r\n").response();
                }
            }
            page.until(foot + ".innerText.startsWith('and " + (MANY + 7 - WatchedNames.ROWS) + " more')");
            assertThat(page.evaluate(foot + ".hidden")).isEqualTo(false);
            emulate(page, "light", 1280);
            judge(page, axe, "many routes");
            page.until("document.querySelectorAll('[data-table=r] tbody th').length > 100");
            shoot(page, "many-routes", 1280);
        });
    }

    private static void emulate(DevTools page, String scheme, int width) {
        page.call(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
        page.call(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", (long) width, "height", 900L, "deviceScaleFactor", 1L, "mobile", width < 500));
    }

    private static void shoot(DevTools page, String name, int width) throws IOException {
        long height = (Long) page.evaluate("document.documentElement.scrollHeight");
        Map<String, Long> clip = Map.of("x", 0L, "y", 0L, "width", (long) width, "height", height, "scale", 1L);
        Map<String, Object> shot = page.call(
                "Page.captureScreenshot", Map.of("format", "png", "captureBeyondViewport", true, "clip", clip));
        Files.write(SHOTS.resolve(name + ".png"), Base64.getDecoder().decode((String) shot.get("data")));
    }

    @Test
    void theKeyboardReachesAllThatActsAndScrolls() throws Exception {
        inBrowser("act", (page, sidecar) -> {
            page.evaluate("document.body.focus()");
            StringBuilder path = new StringBuilder();
            for (int i = 0; i < 40; i++) {
                press(page, "Tab", 9);
                path.append(page.evaluate("(one => one.id || one.className || one.getAttribute('href') || one.tagName)"
                                + "(document.activeElement)"))
                        .append(' ');
            }
            assertThat(path.toString())
                    .startsWith("skip pause drain level set-level seconds profile scroll scroll scroll scroll")
                    .contains(" last metrics config clusters memory peaks threads ");
        });
    }

    @Test
    void buttonsDoWhatTheySay() throws Exception {
        inBrowser("act", (page, sidecar) -> {
            page.evaluate("document.getElementById('level').value = 'error';"
                    + " document.getElementById('set-level').click()");
            page.until("document.getElementById('acted').textContent === 'The log level is error.'");
            page.until("document.querySelector('[data-v=\"c.lvl\"]').textContent === 'error'");
            page.evaluate("document.getElementById('drain').focus()");
            press(page, "Enter", 13);
            assertThat(page.evaluate("document.getElementById('sure').open")).isEqualTo(true);
            press(page, "Escape", 27);
            assertThat(page.evaluate("document.getElementById('sure').open")).isEqualTo(false);
            page.until("document.querySelector('[data-v=\"p.ready\"]').textContent === 'ready'");
            page.evaluate("document.getElementById('pause').click()");
            page.until("document.getElementById('state').textContent === 'Paused'");
        });
    }

    /** The policy of the page allows no image of another kind, and no frame. */
    @Test
    void aProfileIsShownInPlace() throws Exception {
        assumeFalse(Chromium.program().isEmpty(), "chromium is not installed");
        NativeLibrary.ofProfilerInto(directory);
        String yaml = """
            admin: {address: '127.0.0.1:0', pages: act, profile: true}
            listeners:
              - {name: test, address: '127.0.0.1:0', cluster: app}
            clusters:
              app: {endpoints: ['127.0.0.1:1']}
            """;
        try (SidecarProcess sidecar =
                        SidecarProcess.start(directory, List.of(), List.of("-Djava.library.path=" + directory), yaml);
                Chromium browser = new Chromium(directory, null)) {
            try (RawClient admin = sidecar.adminClient()) {
                browser.open("http://127.0.0.1:" + admin.socket().getPort() + "/dashboard");
            }
            try (DevTools page = new DevTools(browser.debugPort())) {
                page.call("Log.enable", Map.of());
                page.until("document.querySelector('[data-table=l] tbody th') !== null");
                page.evaluate(
                        "document.getElementById('seconds').value = '5'; document.getElementById('profile').click()");
                assertThat(page.evaluate("document.getElementById('taken').hidden"))
                        .isEqualTo(false);
                page.until("document.getElementById('flame').naturalWidth === 1200");
                page.until("document.getElementById('taken').hidden");
                // a violation of the policy, or a request in vain
                assertThat(page.events("Log.entryAdded")).isEmpty();
                assertThat(page.evaluate("document.getElementById('save').href").toString())
                        .startsWith("blob:http://127.0.0.1:");
            }
        }
    }

    private static void press(DevTools page, String key, long code) {
        String text = key.equals("Enter") ? "\r" : "";
        page.call(
                "Input.dispatchKeyEvent",
                Map.of("type", "keyDown", "key", key, "code", key, "windowsVirtualKeyCode", code, "text", text));
        page.call(
                "Input.dispatchKeyEvent",
                Map.of("type", "keyUp", "key", key, "code", key, "windowsVirtualKeyCode", code));
    }
}

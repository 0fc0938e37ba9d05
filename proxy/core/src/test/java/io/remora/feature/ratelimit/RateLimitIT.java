package io.remora.feature.ratelimit;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.AccessLogFile;
import io.remora.testkit.Contract;
import io.remora.testkit.Failure;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Setup;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What comes faster than a rate limit allows. A token comes back in a minute where a test wants none to. */
@Contract
final class RateLimitIT {
    private static final String BELIEVED = "trust: { cidrs: [127.0.0.0/8] }\n";

    @RegisterExtension
    final Stand stand = new Stand();

    private void start(String limits) {
        start(limits, "");
    }

    private void start(String limits, String process) {
        stand.backend.replyOk();
        stand.start(Setup.before(stand.backend).process(process).listener(limits));
    }

    private static String limit(String keys) {
        return "rate-limits: [{ " + keys + " }]";
    }

    private RawResponse get(String... lines) throws IOException {
        return get(stand.client(), lines);
    }

    private static RawResponse get(RawClient client, String... lines) throws IOException {
        StringBuilder request = new StringBuilder(GET.substring(0, GET.length() - 2));
        List.of(lines).forEach(line -> request.append(line).append("\r\n"));
        return client.send(request.append("\r\n").toString()).response();
    }

    private int passes(int requests, String... lines) throws IOException {
        RawClient client = stand.client();
        int passed = 0;
        for (int i = 0; i < requests; i++) {
            RawResponse response = get(client, lines);
            assertThat(response.status()).isIn(200, 429);
            passed += response.status() == 200 ? 1 : 0;
        }
        return passed;
    }

    private long metric(String name, String limit) {
        stand.sidecar().awaitIdle();
        return stand.sidecar().metrics().sum(name, "listener", "test", "limit", limit);
    }

    // ---- what those are told who pass

    @Test
    void tellsWhatIsLeftWhereAsked() throws IOException {
        stand.backend.reply("HTTP/1.1 200 OK\r\nRateLimit: \"app\";r=7;t=1\r\nContent-Length: 0\r\n\r\n");
        stand.start(Setup.before(stand.backend)
                .listener("rate-limits: [{ name: each, rate: 3/m, by: client, tell-always: true },"
                        + " { name: quiet, rate: 9/m }, { name: whole, rate: 2/m, burst: 9, tell-always: true }]"));
        RawClient client = stand.client();
        RawResponse first = get(client);
        assertThat(first.fields().all("RateLimit-Policy")).containsExactly("\"each\";q=3;w=60, \"whole\";q=2;w=60");
        // eight are left of a burst, of which no window has more than two
        assertThat(first.fields().all("RateLimit"))
                .containsExactly("\"app\";r=7;t=1", "\"each\";r=2;t=20, \"whole\";r=2;t=30");
        assertThat(get(client).fields().all("RateLimit").get(1)).matches("\"each\";r=1;t=[34][0-9], \"whole\";.*");
        assertThat(get(client).fields().all("RateLimit").get(1)).matches("\"each\";r=0;t=[56][0-9], \"whole\";.*");
        RawResponse refused = get(client);
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.fields().all("RateLimit")).hasSize(1);
    }

    /** A refusal tells of the limits before it as well, in lines of their own. */
    @Test
    void aRefusalTellsOfThoseThatHavePassed() throws IOException {
        start("rate-limits: [{ name: wide, rate: 9/m, tell-always: true }, { name: narrow, rate: 1/m }]");
        RawClient client = stand.client();
        assertThat(get(client).fields().all("RateLimit")).containsExactly("\"wide\";r=8;t=7");
        RawResponse refused = get(client);
        assertThat(refused.status()).isEqualTo(429);
        assertThat(String.join(", ", refused.fields().all("RateLimit-Policy")))
                .contains("\"wide\";q=9;w=60")
                .contains("\"narrow\";q=1;w=60");
        assertThat(refused.fields().all("RateLimit")).hasSize(2);
    }

    @Test
    void nobodyWhoPassesIsToldOtherwise() throws IOException {
        start(limit("name: whole, rate: 2/m"));
        RawResponse passed = get();
        assertThat(passed.field("RateLimit")).isNull();
        assertThat(passed.field("RateLimit-Policy")).isNull();
    }

    // ---- all together

    @Test
    void refusesWhatIsTooMuch(@TempDir Path directory) throws IOException {
        AccessLogFile log = new AccessLogFile(directory.resolve("access.log"));
        start(limit("name: whole, rate: 2/m, burst: 3"), log.setting());
        RawClient client = stand.client();
        for (int i = 0; i < 3; i++) {
            assertThat(get(client).status()).isEqualTo(200);
        }
        RawResponse refused = get(client);
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.field("Remora-Error")).isEqualTo("rate-limited");
        assertThat(refused.fields().all("Retry-After")).hasSize(1);
        assertThat(Integer.parseInt(refused.field("Retry-After"))).isBetween(15, 30);
        assertThat(refused.field("RateLimit-Policy")).isEqualTo("\"whole\";q=2;w=60");
        assertThat(refused.field("RateLimit")).isEqualTo("\"whole\";r=0;t=" + refused.field("Retry-After"));
        assertThat(refused.bodyText()).endsWith("\n");
        // the connection goes on
        assertThat(get(client).status()).isEqualTo(429);
        stand.counted(Failure.RATE_LIMITED, 2);
        assertThat(metric("remora_rate_limit_refused_total", "whole")).isEqualTo(2);
        assertThat(stand.responses(4)).isEqualTo(2);
        assertThat(log.line(4)).contains("\"failure\":\"rate-limited\"").contains("\"status\":429");
        assertThat(stand.backend.requests()).hasSize(3);
    }

    /** Many connections on several loops share the one bucket. */
    @Test
    void isExactOverAllWorkers() throws Exception {
        start(limit("rate: 1/m, burst: 100"), "workers: 4");
        int clients = 8;
        List<CompletableFuture<Integer>> all = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            RawClient client = stand.client();
            all.add(CompletableFuture.supplyAsync(() -> {
                int passed = 0;
                for (int request = 0; request < 50; request++) {
                    try {
                        passed += get(client).status() == 200 ? 1 : 0;
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                }
                return passed;
            }));
        }
        int passed = 0;
        for (CompletableFuture<Integer> one : all) {
            passed += one.get(20, TimeUnit.SECONDS);
        }
        // a token may come back where the machine is slow
        assertThat(passed).isBetween(100, 102);
        stand.counted(Failure.RATE_LIMITED, 400 - passed);
    }

    @Test
    void letsTheRateThroughAsTimeGoesOn() throws IOException {
        start(limit("rate: 20/s, burst: 5"));
        RawClient client = stand.client();
        get(client);
        long beganNs = System.nanoTime();
        long elapsedNs = 0;
        int passed = 0;
        while (elapsedNs < 2_000_000_000L) {
            passed += get(client).status() == 200 ? 1 : 0;
            elapsedNs = System.nanoTime() - beganNs;
        }
        assertThat(passed).isGreaterThanOrEqualTo(10).isLessThanOrEqualTo((int) (6 + elapsedNs / 50_000_000L));
    }

    @Test
    void theFirstLimitThatIsExceededRefuses() throws IOException {
        start("rate-limits: [{ name: few, rate: 1/m, burst: 1 }, { name: many, rate: 1/m, burst: 9 }]");
        assertThat(get().status()).isEqualTo(200);
        assertThat(get().field("RateLimit-Policy")).isEqualTo("\"few\";q=1;w=60");
    }

    /** A body that nobody reads ends the connection, even where it is there already. */
    @Test
    void aRefusalOfABodyEndsTheConnection() throws IOException {
        start(limit("rate: 1/m, burst: 1"));
        RawClient client = stand.client();
        assertThat(get(client).status()).isEqualTo(200);
        RawResponse refused = client.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 2\r\n\r\nab")
                .response();
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.field("Connection")).isEqualTo("close");
    }

    // ---- by key

    @Test
    void eachClientHasItsOwn() throws IOException {
        start(BELIEVED + limit("rate: 1/m, burst: 2, by: client"));
        assertThat(passes(4, "X-Forwarded-For: 192.0.2.1")).isEqualTo(2);
        assertThat(passes(4, "X-Forwarded-For: 192.0.2.2")).isEqualTo(2);
        assertThat(passes(4, "X-Forwarded-For: 2001:db8::1")).isEqualTo(2);
        assertThat(passes(4, "X-Forwarded-For: 2001:db8::2")).isZero();
        assertThat(passes(4)).as("the peer itself").isEqualTo(2);
    }

    /** Whoever is not believed cannot choose whose requests he uses. */
    @Test
    void aStrangerIsWhoHeIs() throws IOException {
        start(limit("rate: 1/m, burst: 2, by: client"));
        assertThat(passes(1, "X-Forwarded-For: 192.0.2.1")).isOne();
        assertThat(passes(1, "X-Forwarded-For: 192.0.2.2")).isOne();
        assertThat(passes(1, "X-Forwarded-For: 192.0.2.3")).isZero();
    }

    @Test
    void eachValueOfAFieldHasItsOwn() throws IOException {
        start(limit("rate: 1/m, burst: 1, by: \"header:X-Api-Key\""));
        assertThat(passes(2, "X-Api-Key: a")).isOne();
        assertThat(passes(2, "x-api-key:   b  ")).isOne();
        assertThat(passes(2, "X-Api-Key: b")).isZero();
        String large = "X-Api-Key: " + "k".repeat(30_000);
        assertThat(passes(2, large)).isOne();
        assertThat(passes(2, large + "l")).isOne();
        assertThat(passes(1)).as("without").isOne();
        assertThat(passes(1, "X-Api-Key: fresh", "X-Api-Key: a")).as("twice").isZero();
        assertThat(passes(1, "X-Api-Key: a", "X-Api-Key: fresh")).as("twice").isZero();
        assertThat(passes(1, "X-Api-Key: a", "X_Api_Key: fresh")).as("a twin").isZero();
        assertThat(passes(1, "X_Api_Key: other", "X-Api-Key: fresh"))
                .as("a twin")
                .isZero();
        assertThat(passes(1, "X-Api-Key: fresh")).isOne();
    }

    /** Nobody gets his requests back because others invent keys, and those others get no more than the table has. */
    @Test
    void aFullTableForgetsNobody() throws IOException {
        start(limit("name: each, rate: 1/m, burst: 1, by: \"header:X-Api-Key\", keys: 8"));
        assertThat(passes(2, "X-Api-Key: victim")).isOne();
        int passed = 0;
        for (int i = 0; i < 200; i++) {
            passed += passes(1, "X-Api-Key: invented-" + i);
        }
        // sixteen places, one of them taken, and a bucket for all others
        // and a token that comes back where the machine is slow
        assertThat(passed).isBetween(16, 18);
        assertThat(passes(2, "X-Api-Key: victim")).isZero();
        assertThat(metric("remora_rate_limit_shared_total", "each")).isBetween(150L, 185L);
    }

    // ---- of a route

    @Test
    void aRouteHasItsOwn() throws IOException {
        stand.backend.replyOk();
        stand.start(Setup.before(stand.backend)
                .rules(
                        "name: slow, match: { path: /slow }, cluster: app, rate-limits: [{ rate: 1/m }]",
                        "name: other, match: { path: /other }, cluster: app, rate-limits: [{ rate: 1/m }]",
                        "cluster: app"));
        RawClient client = stand.client();
        assertThat(client.send(GET.replace(" / ", " /slow ")).response().status())
                .isEqualTo(200);
        RawResponse refused = client.send(GET.replace(" / ", " /slow ")).response();
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.field("RateLimit-Policy")).isEqualTo("\"slow/rate-limit-1\";q=1;w=60");
        assertThat(client.send(GET.replace(" / ", " /other ")).response().status())
                .isEqualTo(200);
        for (int i = 0; i < 5; i++) {
            assertThat(client.send(GET).response().status()).isEqualTo(200);
        }
        assertThat(metric("remora_rate_limit_refused_total", "slow/rate-limit-1"))
                .isOne();
    }
}

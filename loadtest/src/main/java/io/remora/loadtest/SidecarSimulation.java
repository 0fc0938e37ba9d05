package io.remora.loadtest;

import static io.gatling.javaapi.core.CoreDsl.StringBody;
import static io.gatling.javaapi.core.CoreDsl.asLongAs;
import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;
import static io.gatling.javaapi.core.CoreDsl.constantConcurrentUsers;
import static io.gatling.javaapi.core.CoreDsl.constantUsersPerSec;
import static io.gatling.javaapi.core.CoreDsl.details;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.nothingFor;
import static io.gatling.javaapi.core.CoreDsl.pause;
import static io.gatling.javaapi.core.CoreDsl.percent;
import static io.gatling.javaapi.core.CoreDsl.rampConcurrentUsers;
import static io.gatling.javaapi.core.CoreDsl.rampUsers;
import static io.gatling.javaapi.core.CoreDsl.rampUsersPerSec;
import static io.gatling.javaapi.core.CoreDsl.randomSwitch;
import static io.gatling.javaapi.core.CoreDsl.scenario;
import static io.gatling.javaapi.http.HttpDsl.header;
import static io.gatling.javaapi.http.HttpDsl.http;
import static io.gatling.javaapi.http.HttpDsl.status;

import io.gatling.javaapi.core.Assertion;
import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.OpenInjectionStep;
import io.gatling.javaapi.core.PopulationBuilder;
import io.gatling.javaapi.core.ScenarioBuilder;
import io.gatling.javaapi.core.Session;
import io.gatling.javaapi.core.Simulation;
import io.gatling.javaapi.http.HttpProtocolBuilder;
import io.gatling.javaapi.http.HttpRequestActionBuilder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The load of the conformance test: an open model at a constant rate over shared keep-alive connections, GETs and a share of POSTs.
 *
 * <p>Four phases, one after the other: {@code rehearsal}, up to the calibration's rate straight to the backend, until this
 * generator is compiled; {@code calibration}, which tells what the generator can do; {@code warm-up} and {@code steady} through
 * the sidecar. Every request carries {@code X-Probe}, by which a packet capture finds it on both sides.
 *
 * <p>System properties, whole numbers all: {@code front} and {@code backend} (ports), {@code rate} and {@code calibrationRate}
 * (requests a second), {@code connections} (opened at once when the warm-up begins, and used in turn; a burst of requests that
 * wait opens more, but not over TLS), {@code postShare} (per cent), {@code bodyBytes} (of a POST), {@code mayFail} (1 where the backend answers
 * some requests with 500, which is no failure of the sidecar then), {@code rehearsalSeconds}, {@code calibrationSeconds},
 * {@code warmupSeconds}, {@code steadySeconds}. {@code scheme} is http, or https for TLS on the way to both; {@code gatling.ssl.keyStore}, a setting of Gatling's own,
 * has the certificate to show.
 */
public final class SidecarSimulation extends Simulation {
    /** Attribute of a session: when its next request is due, in ns of the clock. */
    private static final String DUE = "due";

    private static final AtomicLong SENT = new AtomicLong();

    private final boolean isTls = System.getProperty("scheme").equals("https");
    private final Phase rehearsal = new Phase("rehearsal");
    private final Phase calibration = new Phase("calibration");
    private final Phase warmUp = new Phase("warm-up");
    private final int rate = number("rate");
    private final Phase steady = new Phase("steady", 1_000_000_000L / rate);

    public SidecarSimulation() {
        PopulationBuilder before = isTls ? pacedWarmUp() : phase(warmUp).injectOpen(warmUpSteps());
        PopulationBuilder counted = isTls
                ? paced(steady, number("steadySeconds")).injectOpen(atOnceUsers(users()))
                : phase(steady).injectOpen(constantUsersPerSec(rate).during(number("steadySeconds")));
        HttpProtocolBuilder front = to("front");
        setUp(toBackend(before.protocols(front).andThen(counted.protocols(front))))
                .assertions(told(steady));
        Runtime.getRuntime().addShutdownHook(new Thread(this::summarize));
    }

    /**
     * Rehearsal and calibration before what follows. Over TLS, they have as many requests at a time as there are connections: at a
     * rate, a request that waits opens another connection, whose handshake takes longer than many requests, so that the next ones
     * wait as well.
     */
    private PopulationBuilder toBackend(PopulationBuilder next) {
        int most = number("calibrationRate");
        int connections = number("connections");
        int seconds = number("calibrationSeconds");
        ScenarioBuilder cold = phase(rehearsal);
        ScenarioBuilder direct = phase(calibration);
        PopulationBuilder rehearsing = isTls
                ? cold.injectClosed(
                        rampConcurrentUsers(1).to(connections).during(seconds),
                        constantConcurrentUsers(connections).during(number("rehearsalSeconds") - seconds))
                : cold.injectOpen(rampUsersPerSec(most / 10.0).to(most).during(number("rehearsalSeconds")));
        PopulationBuilder calibrating = isTls
                ? direct.injectClosed(constantConcurrentUsers(connections).during(seconds))
                : direct.injectOpen(constantUsersPerSec(most).during(seconds));
        HttpProtocolBuilder backend = to("backend");
        return rehearsing
                .protocols(backend)
                .andThen(calibrating.protocols(backend).andThen(next));
    }

    /** Slowly at first: what waits for a sidecar that is not compiled yet would take a connection each, and keep it. */
    private OpenInjectionStep[] warmUpSteps() {
        int seconds = number("warmupSeconds");
        double rampSeconds = seconds / 2.0;
        return new OpenInjectionStep[] {
            atOnceUsers(number("connections")),
            nothingFor(1),
            rampUsersPerSec(rate / 20.0).to(rate).during(Duration.ofMillis((long) (rampSeconds * 1e3))),
            constantUsersPerSec(rate).during(Duration.ofMillis((long) ((seconds - rampSeconds) * 1e3)))
        };
    }

    /** Users that begin one after the other over half of the warm-up, and all of them in the other half. */
    private PopulationBuilder pacedWarmUp() {
        int seconds = number("warmupSeconds");
        return paced(warmUp, seconds).injectOpen(rampUsers(users()).during(Duration.ofMillis(seconds * 1_000L / 2)));
    }

    /**
     * Requests over TLS: each user sends one per {@link #pace()}, offset against the other users, and a late one at once. The rate is
     * constant, and there are never more connections than users. In an open model, each request that waits opens a connection. The handshakes take the
     * generator's core, further requests wait, and the run collapses.
     */
    private ScenarioBuilder paced(Phase phase, int seconds) {
        long paceNs = pace().toNanos();
        return scenario(phase.name())
                .exec(session -> session.set(DUE, System.nanoTime() + session.userId() % users() * paceNs / users()))
                .exec(asLongAs(session -> !phase.lasted(seconds), phase.name(), false)
                        .on(pause(SidecarSimulation::untilDue)
                                .exec(session -> session.set(DUE, session.getLong(DUE) + paceNs))
                                .exec(one(phase))));
    }

    private static Duration untilDue(Session session) {
        return Duration.ofNanos(Math.max(0, session.getLong(DUE) - System.nanoTime()));
    }

    /** The number of users: at least one per connection, and so many that their pace is a whole number of ms. */
    private int users() {
        int users = number("connections");
        while (users * 1_000L % rate != 0) {
            users++;
        }
        return users;
    }

    private Duration pace() {
        return Duration.ofMillis(users() * 1_000L / rate);
    }

    /** At the end of the JVM, so that a run which is cut short is summed up as well. */
    private void summarize() {
        List.of(rehearsal, calibration, warmUp, steady).forEach(phase -> System.out.println(phase.summary()));
    }

    private static ScenarioBuilder phase(Phase phase) {
        return scenario(phase.name()).exec(one(phase));
    }

    private static ChainBuilder one(Phase phase) {
        HttpRequestActionBuilder get = http(phase.name() + " GET").get("/body");
        HttpRequestActionBuilder post = http(phase.name() + " POST")
                .post("/body")
                .header("Content-Type", "text/plain")
                .body(StringBody("x".repeat(number("bodyBytes"))));
        double posts = number("postShare");
        ChainBuilder request = randomSwitch()
                .on(percent(100 - posts).then(exec(get)), percent(posts).then(exec(post)));
        return exec(session -> {
                    phase.begin();
                    return session.set("id", "g" + SENT.incrementAndGet());
                })
                .exec(request)
                .exec(session -> {
                    phase.end(session.isFailed());
                    return session;
                })
                .stopLoadGeneratorIf("too many requests have failed", session -> phase.isHopeless());
    }

    /** Assertions whose figures Gatling writes next to its report; the program that started the run judges them. */
    private static List<Assertion> told(Phase phase) {
        Assertion.WithPath gets = details(phase.name() + " GET");
        return List.of(
                gets.responseTime().percentile(50).gte(0),
                gets.responseTime().percentile(99).gte(0),
                gets.responseTime().percentile(99.9).gte(0),
                gets.responseTime().max().gte(0));
    }

    private static HttpProtocolBuilder to(String port) {
        boolean mayFail = number("mayFail") == 1;
        String place = System.getProperty(port);
        return http.baseUrl(System.getProperty("scheme") + "://" + (place.indexOf(':') < 0 ? "127.0.0.1:" : "") + place)
                .shareConnections()
                .disableCaching()
                .disableFollowRedirect()
                .userAgentHeader("gatling")
                .header("X-Probe", "#{id}")
                .check(
                        mayFail ? status().in(200, 500) : status().is(200),
                        header("Remora-Error").notExists());
    }

    private static int number(String property) {
        return Integer.parseInt(System.getProperty(property));
    }
}

package io.remora.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.LogLevel;
import io.remora.http.Failure;
import io.remora.http.Rule;
import io.remora.log.Log;
import io.remora.memory.Plans;
import io.remora.metrics.Stats;
import io.remora.testkit.Await;
import io.remora.testkit.StandardError;
import io.remora.transport.Loop;
import io.remora.transport.Loops;
import io.remora.transport.NanoClock;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How often the sidecar's own log tells of refused messages. */
final class RefusalLogTest {
    /** No test lasts as long. */
    private static final long HOUR_NS = 3_600_000_000_000L;

    private static final long MS = 1_000_000L;

    private final Loops loops = new Loops(1, NanoClock.SYSTEM, new Stats(), Plans.holding(1 << 20));
    private final Loop loop = loops.all().get(0);
    private final LogLevel level = Log.level();

    @RegisterExtension
    final StandardError standardError = new StandardError();

    @BeforeEach
    void listen() {
        Log.level(LogLevel.INFO);
    }

    @AfterEach
    void restore() {
        Log.level(level);
        loops.shutdown();
    }

    private List<String> lines() {
        return standardError
                .lines()
                .map(line -> line.substring(line.indexOf(' ') + 1))
                .toList();
    }

    @Test
    void eachRuleHasALineOfItsOwn() {
        RefusalLog log = new RefusalLog("in", HOUR_NS);
        for (int i = 0; i < 100; i++) {
            log.refused(Failure.BAD_REQUEST, Rule.BARE_LF, "10.0.0.1", null, loop);
            log.refused(Failure.BAD_REQUEST, Rule.TARGET, "10.0.0.1", null, loop);
            log.refused(Failure.BAD_RESPONSE, Rule.BARE_LF, "10.0.0.1", "10.0.0.2:80", loop);
        }
        Await.until("told", () -> lines().size() == 3);
        assertThat(lines())
                .containsExactly(
                        "INFO listener in: refused a request, 400 bad-request; reason=bare-lf client=10.0.0.1 count=1",
                        "INFO listener in: refused a request, 400 bad-request; reason=target client=10.0.0.1 count=1",
                        "WARN listener in: refused a response, 502 bad-response; reason=bare-lf client=10.0.0.1"
                                + " endpoint=10.0.0.2:80 count=1");
    }

    /** The end of a burst has its line even if nothing follows it. */
    @Test
    void theRestIsCounted() {
        RefusalLog log = new RefusalLog("in", 50 * MS);
        for (int i = 0; i < 100; i++) {
            log.refused(Failure.BAD_REQUEST, Rule.BARE_LF, "10.0.0.1", null, loop);
        }
        Await.until("counted", () -> counted() == 100);
        // who sent the others is not known to be the first one
        assertThat(lines())
                .last()
                .isEqualTo("INFO listener in: refused a request, 400 bad-request; reason=bare-lf count=99");
        log.refused(null, Rule.IDLE, "10.0.0.1", null, loop);
        Await.until("told", () -> lines().stream().anyMatch(line -> line.contains("tunnel")));
        assertThat(lines())
                .last()
                .isEqualTo("INFO listener in: closed an idle tunnel; timeouts.stream-idle of its route sets the time;"
                        + " reason=timeouts.idle client=10.0.0.1 count=1");
    }

    /** Content that a side does not take is bound by the listener's key alone, which no route lengthens. */
    @Test
    void theKeyOfAStalledSideIsTheListeners() {
        RefusalLog log = new RefusalLog("in", HOUR_NS);
        log.refused(Failure.CLIENT_STALLED, Rule.UNTAKEN, "10.0.0.1", null, loop);
        Await.until("told", () -> lines().size() == 1);
        assertThat(lines())
                .containsExactly("INFO listener in: cut a stream whose peer did not read; timeouts.body-idle of its"
                        + " listener sets the time; reason=timeouts.body-idle client=10.0.0.1 count=1");
    }

    private int counted() {
        int sum = 0;
        for (String line : lines()) {
            sum += Integer.parseInt(line.substring(line.lastIndexOf('=') + 1));
        }
        return sum;
    }
}

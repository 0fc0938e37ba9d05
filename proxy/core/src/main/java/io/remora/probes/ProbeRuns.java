package io.remora.probes;

import io.remora.log.Log;
import io.remora.text.Ascii;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The runs of one probe, one at a time. Who asks during a run shares its outcome, and who asks again at once gets the last one, so
 * that a flood of requests neither reaches the application nor takes the kubelet's turn.
 *
 * <p>Thread safe. Bounds: one thread while a run lasts, a run in {@value #LEAST_MS} ms; those who wait are connections to
 * the health listener, which are bounded. Cost: loaded by the first request.
 */
public final class ProbeRuns implements Runnable {
    /** Time between the beginnings of two runs: 20 a second. */
    private static final long LEAST_MS = 50;

    private static final long LOG_NS = 10_000_000_000L;
    private static final long NS_PER_MS = 1_000_000;
    /** Enough for a handshake of TLS, which the JVM's default may not be. */
    private static final long STACK_BYTES = 256 << 10;

    private final AppProbe probe;
    /** Below: under the lock. */
    private List<ProbeOutcome> waiting = new ArrayList<>();

    private boolean running;
    private long beganNs;
    private @Nullable ProbeAnswer last;
    /** Below: of the run's thread. */
    private boolean failing;

    private long loggedNs;

    public ProbeRuns(AppProbe probe) {
        this.probe = probe;
        this.loggedNs = System.nanoTime() - LOG_NS;
    }

    /** Asks for an outcome, which comes at once, or when a run ends. */
    public void ask(ProbeOutcome then) {
        ProbeAnswer known;
        synchronized (this) {
            known = running || !isFresh() ? null : last;
            if (known == null) {
                if (!running) {
                    begin();
                }
                waiting.add(then);
            }
        }
        if (known != null) {
            then.told(known.status(), known.text());
        }
    }

    private boolean isFresh() {
        return System.nanoTime() - beganNs < LEAST_MS * NS_PER_MS;
    }

    // the thread waits for the lock; where there can be no thread, the next who asks tries again
    private void begin() {
        Thread thread = new Thread(null, this, "remora-probe", STACK_BYTES);
        thread.setDaemon(true);
        thread.start();
        running = true;
        beganNs = System.nanoTime();
    }

    @Override
    public void run() {
        ProbeAnswer answer;
        try {
            answer = call().run();
        } catch (RuntimeException | Error e) {
            // an Error, too: a run that never ended would leave all further requests waiting
            answer = ProbeAnswer.failed("internal error: " + e);
        }
        tell(answer);
        List<ProbeOutcome> askers;
        synchronized (this) {
            running = false;
            last = answer;
            askers = waiting;
            waiting = new ArrayList<>();
        }
        for (ProbeOutcome one : askers) {
            one.told(answer.status(), answer.text());
        }
    }

    private ProbeCall call() {
        return switch (probe.kind()) {
            case HTTP, HTTPS -> new HttpProbe(probe);
            case TCP -> new TcpProbe(probe);
            case GRPC -> new GrpcProbe(probe);
        };
    }

    /** Logs that the application cannot be reached, and that it can again; the kubelet's events say nothing of the reason. */
    private synchronized void tell(ProbeAnswer answer) {
        long nowNs = System.nanoTime();
        if (answer.isFailure() == failing || nowNs - loggedNs < LOG_NS) {
            return;
        }
        failing = answer.isFailure();
        loggedNs = nowNs;
        if (failing) {
            Log.warn("probe: " + probe.name() + " failed; answering 503 to the kubelet reason="
                    + Ascii.oneLine(answer.text().strip()));
        } else {
            Log.info("probe: " + probe.name() + " answers again status=" + answer.status());
        }
    }
}

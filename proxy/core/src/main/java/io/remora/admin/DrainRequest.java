package io.remora.admin;

import io.remora.config.keys.Units;
import org.jspecify.annotations.Nullable;

/**
 * A {@code POST /drain}: the listeners that drain, the delay before they close, and the wait for the end. Runs on a thread of its own,
 * because it waits for event loops, which the admin thread watches. Cost: loaded by the first such request.
 */
final class DrainRequest implements Runnable {
    /** Longest delay and longest wait; a kubelet grants less by default. */
    private static final long MAX_NS = 60_000_000_000L;

    private static final long POLL_MS = 5;
    private static final long NS_PER_MS = 1_000_000;

    private final ProxyControl control;
    private final ReloadOutcome then;
    private final long askedNs = System.nanoTime();
    private boolean inboundOnly;
    private long delayNs;
    private long waitNs;
    private @Nullable String problem;

    private DrainRequest(ProxyControl control, String target, ReloadOutcome then) {
        this.control = control;
        this.then = then;
        String direction = RequestTarget.parameter(target, "direction");
        inboundOnly = direction.equals("inbound");
        if (!inboundOnly && !direction.isEmpty()) {
            problem = "direction is '" + direction + "', expected inbound, or no direction for all listeners\n";
        }
        delayNs = duration(target, "delay");
        waitNs = duration(target, "wait");
    }

    /** Starts a drain, or has the outcome say what is wrong with the request. */
    static void begin(ProxyControl control, String target, ReloadOutcome then) {
        DrainRequest request = new DrainRequest(control, target, then);
        if (request.problem != null) {
            then.told(400, request.problem);
            return;
        }
        Thread thread = new Thread(request, "remora-drain");
        thread.setDaemon(true);
        thread.start();
    }

    private long duration(String target, String name) {
        String text = RequestTarget.parameter(target, name);
        long valueNs = text.isEmpty() ? 0 : Units.DURATION.read(text);
        if (valueNs < 0 || valueNs > MAX_NS) {
            problem = name + " is '" + text + "'" + Units.DURATION.expected(text, 0, MAX_NS) + '\n';
        }
        return valueNs;
    }

    @Override
    public void run() {
        try {
            drain();
        } catch (InterruptedException e) {
            then.told(503, "interrupted\n");
        }
    }

    private void drain() throws InterruptedException {
        if (inboundOnly) {
            control.drainInbound(delayNs / NS_PER_MS);
        } else {
            Thread.sleep(delayNs / NS_PER_MS);
            control.drain();
        }
        if (waitNs == 0) {
            then.told(202, "draining\n");
            return;
        }
        int left = control.inProgress(inboundOnly);
        while (left != 0 && System.nanoTime() - askedNs < waitNs) {
            Thread.sleep(POLL_MS);
            left = control.inProgress(inboundOnly);
        }
        if (left == 0) {
            then.told(200, "drained\n");
        } else {
            then.told(503, "still draining" + (left < 0 ? "" : ": " + left + " exchanges and connections") + '\n');
        }
    }
}

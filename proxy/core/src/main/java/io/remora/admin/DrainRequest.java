package io.remora.admin;

import io.remora.config.keys.Units;
import io.remora.log.Log;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A {@code POST /drain}: the listeners that drain, the delay before they close, and the wait for the end. Runs on a
 * thread of its own, because it waits for event loops, which the admin thread watches.
 *
 * <p>Bounds: {@value #MAX_HELD} requests that wait, a minute each. Cost: loaded by the first such request.
 */
final class DrainRequest implements Runnable {
    /** Longest delay and longest wait; a kubelet grants less by default. */
    private static final long MAX_NS = 60_000_000_000L;

    private static final int MAX_HELD = 8;
    private static final long POLL_MS = 5;
    private static final long NS_PER_MS = 1_000_000;
    private static final String DIRECTION = "direction";
    private static final String DELAY = "delay";
    private static final String WAIT = "wait";

    /** Requests that hold a thread for their delay or wait. */
    private static final AtomicInteger HELD = new AtomicInteger();

    private final ProxyControl control;
    private final ReloadOutcome then;
    private final long askedNs = System.nanoTime();
    private boolean inboundOnly;
    private long delayNs;
    private long waitNs;

    private DrainRequest(ProxyControl control, ReloadOutcome then) {
        this.control = control;
        this.then = then;
    }

    /** Starts a drain, or reports what is wrong with the request. */
    static void begin(ProxyControl control, String target, ReloadOutcome then) {
        DrainRequest request = new DrainRequest(control, then);
        String problem = request.read(target);
        if (problem != null) {
            then.told(400, problem + '\n');
            return;
        }
        if (request.isHeld() && HELD.incrementAndGet() > MAX_HELD) {
            HELD.decrementAndGet();
            then.told(429, "too many drain requests are waiting\n");
            return;
        }
        Thread thread = new Thread(request, "remora-drain");
        thread.setDaemon(true);
        thread.start();
    }

    private boolean isHeld() {
        return delayNs > 0 || waitNs > 0;
    }

    /** Reads the parameters; returns what is wrong with them, null where nothing is. */
    private @Nullable String read(String target) {
        Map<String, String> given = new HashMap<>();
        for (String pair : RequestTarget.parameters(target)) {
            int equals = pair.indexOf('=');
            String name = pair.substring(0, Math.max(equals, 0));
            if (!name.equals(DIRECTION) && !name.equals(DELAY) && !name.equals(WAIT)) {
                return "'" + pair + "' is not a parameter, expected direction=inbound, delay=5s or wait=20s";
            }
            if (given.put(name, pair.substring(equals + 1)) != null) {
                return name + " is given twice";
            }
        }
        String direction = given.get(DIRECTION);
        inboundOnly = direction != null;
        if (direction != null && !direction.equals("inbound")) {
            return "direction is '" + direction + "', expected inbound, or no direction for all listeners";
        }
        for (String name : new String[] {DELAY, WAIT}) {
            String text = given.get(name);
            long valueNs = text == null ? 0 : Units.DURATION.read(text);
            if (text != null && (valueNs < 0 || valueNs > MAX_NS)) {
                return name + " is '" + text + "'" + Units.DURATION.expected(text, 0, MAX_NS);
            }
            if (name.equals(DELAY)) {
                delayNs = valueNs;
            } else {
                waitNs = valueNs;
            }
        }
        if (given.containsKey(DELAY) && !inboundOnly) {
            return "delay requires direction=inbound";
        }
        if (waitNs > 0 && waitNs < delayNs) {
            return "wait must not be shorter than delay";
        }
        return null;
    }

    @Override
    public void run() {
        try {
            drain();
        } catch (InterruptedException e) {
            then.told(503, "interrupted\n");
        } catch (RuntimeException e) {
            Log.warn("drain: the request failed; the sidecar keeps its state: " + e);
            then.told(500, "failed\n");
        } finally {
            if (isHeld()) {
                HELD.decrementAndGet();
            }
        }
    }

    private void drain() throws InterruptedException {
        if (!inboundOnly) {
            control.drain();
        } else if (!control.drainInbound(delayNs / NS_PER_MS)) {
            then.told(409, "not ready yet\n");
            return;
        }
        if (waitNs == 0) {
            then.told(202, "draining\n");
            return;
        }
        DrainProgress progress = control.drainProgress(inboundOnly);
        while ((progress == null || !progress.isOver()) && System.nanoTime() - askedNs < waitNs) {
            Thread.sleep(POLL_MS);
            progress = control.drainProgress(inboundOnly);
        }
        if (progress != null && progress.isOver()) {
            then.told(200, "drained\n");
        } else {
            String left = progress == null
                    ? ""
                    : ": exchanges=" + progress.exchanges() + " connections=" + progress.connections();
            then.told(503, "still draining" + left + '\n');
        }
    }
}

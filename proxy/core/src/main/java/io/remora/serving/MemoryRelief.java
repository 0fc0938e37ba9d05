package io.remora.serving;

import io.remora.memory.Claim;
import io.remora.memory.MemoryPlan;
import io.remora.memory.MemoryWatch;
import io.remora.memory.Pressure;
import io.remora.metrics.ChangeListener;
import io.remora.metrics.Stats;
import io.remora.transport.Loop;
import java.util.List;
import java.util.Map;

/**
 * Measures that listeners and loops take where memory is short.
 *
 * <p>Thread safe.
 */
final class MemoryRelief implements MemoryWatch.Relief, Claim.Source {
    private final List<Loop> loops;
    private final Listeners listeners;
    private final Stats stats;
    private volatile boolean paused;

    MemoryRelief(List<Loop> loops, Listeners listeners, Stats stats) {
        this.loops = loops;
        this.listeners = listeners;
        this.stats = stats;
    }

    /** Has the loops' budgets know the claims of clients, and the watch call this where memory is short. */
    void begin(MemoryWatch watch) {
        for (Loop loop : loops) {
            loop.memory().claimsFrom(this);
        }
        watch.start(loops.get(0).eventLoop(), this);
    }

    /** New listeners wait as the others do. */
    void meet(Map<String, BoundListener> all) {
        if (paused) {
            for (BoundListener bound : all.values()) {
                bound.listener().pause(true);
            }
            if (!paused) {
                // it has got better just now, and the loop may have been before this
                for (BoundListener bound : all.values()) {
                    bound.listener().pause(false);
                }
            }
        }
    }

    @Override
    public void collect(int loop, List<Claim> into) {
        for (BoundListener bound : listeners.bound().values()) {
            bound.onLoops().get(loop).claims(into);
        }
        for (ListenerDrain one : listeners.retired()) {
            one.listener().onLoops().get(loop).claims(into);
        }
    }

    @Override
    public void looked(long usageBytes, long limitBytes) {
        listeners.peaks().look(System.currentTimeMillis(), System.nanoTime(), usageBytes, limitBytes);
    }

    @Override
    public void changed(Pressure before, Pressure now, int fillPerMille, long usageBytes) {
        ChangeListener recorder = stats.changes();
        if (recorder != null) {
            recorder.pressed(before.toString(), now.toString(), fillPerMille, usageBytes);
        }
    }

    @Override
    public void divide(MemoryPlan plan) {
        for (Loop loop : loops) {
            loop.eventLoop().execute(new Runnable() {
                @Override
                public void run() {
                    loop.memory().divide(plan);
                }
            });
        }
    }

    @Override
    public void relieve(Pressure pressure) {
        boolean pause = pressure.isAtLeast(Pressure.CLOSE);
        if (pause != paused) {
            paused = pause;
            for (BoundListener bound : listeners.bound().values()) {
                bound.listener().pause(pause);
            }
        }
        for (int i = 0; i < loops.size(); i++) {
            int loop = i;
            loops.get(i).eventLoop().execute(new Runnable() {
                @Override
                public void run() {
                    for (BoundListener bound : listeners.bound().values()) {
                        bound.onLoops().get(loop).relieve(pressure);
                    }
                    for (ListenerDrain one : listeners.retired()) {
                        one.listener().onLoops().get(loop).relieve(pressure);
                    }
                }
            });
        }
    }
}

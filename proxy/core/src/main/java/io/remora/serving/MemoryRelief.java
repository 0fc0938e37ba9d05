package io.remora.serving;

import io.remora.memory.Claim;
import io.remora.memory.MemoryWatch;
import io.remora.memory.Pressure;
import java.util.List;
import java.util.Map;

/**
 * What is done on each loop where memory is short.
 *
 * <p>Thread safe.
 */
final class MemoryRelief implements MemoryWatch.Relief {
    private final DataPath path;
    private volatile boolean paused;

    MemoryRelief(DataPath path) {
        this.path = path;
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

    /** The claims of clients on one event loop, over all listeners. */
    Claim.Source claimsOn(int loop) {
        return new Claim.Source() {
            @Override
            public void collect(List<Claim> into) {
                for (BoundListener bound : path.listeners().bound().values()) {
                    bound.onLoops().get(loop).claims(into);
                }
                for (Retirement one : path.listeners().retired()) {
                    one.listener().onLoops().get(loop).claims(into);
                }
            }
        };
    }

    @Override
    public void relieve(Pressure pressure) {
        boolean pause = pressure.isAtLeast(Pressure.CLOSE);
        if (pause != paused) {
            paused = pause;
            for (BoundListener bound : path.listeners().bound().values()) {
                bound.listener().pause(pause);
            }
        }
        for (int i = 0; i < path.loops().size(); i++) {
            int loop = i;
            path.loops().get(i).eventLoop().execute(new Runnable() {
                @Override
                public void run() {
                    for (BoundListener bound : path.listeners().bound().values()) {
                        bound.onLoops().get(loop).relieve(pressure);
                    }
                    for (Retirement one : path.listeners().retired()) {
                        one.listener().onLoops().get(loop).relieve(pressure);
                    }
                }
            });
        }
    }
}

package io.remora.dataplane;

import io.remora.Proxy;
import io.remora.testkit.Sidecar;
import io.remora.transport.Loop;
import io.remora.transport.Loops;
import java.io.IOException;
import java.lang.reflect.Field;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Keeps a sidecar's event loops from running, as one long turn would: what arrives meanwhile is all there when the
 * loops look again, in the order of its arrival.
 */
final class Stall {
    private static final int LONGEST_SECONDS = 30;

    /** What a test does meanwhile. */
    @FunctionalInterface
    interface Action {
        void run() throws IOException;
    }

    private Stall() {}

    static void during(Sidecar sidecar, Action action) throws IOException {
        CountDownLatch end = new CountDownLatch(1);
        for (Loop loop : loops(sidecar.proxy()).all()) {
            CountDownLatch begun = new CountDownLatch(1);
            loop.eventLoop().execute(() -> {
                begun.countDown();
                await(end);
            });
            await(begun);
        }
        try {
            action.run();
        } finally {
            end.countDown();
        }
    }

    static Loops loops(Proxy proxy) {
        try {
            Field path = Proxy.class.getDeclaredField("path");
            path.setAccessible(true);
            Field loops = path.getType().getDeclaredField("loops");
            loops.setAccessible(true);
            return (Loops) loops.get(path.get(proxy));
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(LONGEST_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("stalled for too long");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}

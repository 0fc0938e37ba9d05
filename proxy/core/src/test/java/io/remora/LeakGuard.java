package io.remora;

import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test class after which a buffer was collected that nobody had released. Registered for every class of this
 * module.
 *
 * <p>A report needs the buffer to be collected, so one may be charged to a later class than the one that leaked; its
 * records name the place.
 */
public final class LeakGuard implements AfterAllCallback {
    private static final int GC_WAIT_MS = 5_000;

    @Override
    public void afterAll(ExtensionContext context) {
        List<String> reports = collect();
        if (!reports.isEmpty()) {
            throw new AssertionError("leaked:\n" + String.join("\n", reports));
        }
    }

    /** What Netty has to report once the garbage is gone. */
    static List<String> collect() {
        List<String> reports = new ArrayList<>();
        for (int round = 0; round < 2; round++) {
            collectGarbage();
            // The detector looks for collected buffers only when another one is made.
            UnpooledByteBufAllocator.DEFAULT.directBuffer(1).release();
            Unpooled.buffer(1).release();
            reports.addAll(RecordingLeakDetector.takeReports());
        }
        return reports;
    }

    /**
     * Returns once a reference made here has come through its queue: those lost before it have then come through
     * theirs.
     */
    private static void collectGarbage() {
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        WeakReference<Object> sentinel = new WeakReference<>(new Object(), queue);
        System.gc();
        try {
            if (queue.remove(GC_WAIT_MS) != sentinel) {
                throw new AssertionError("nothing collected within " + GC_WAIT_MS + " ms");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}

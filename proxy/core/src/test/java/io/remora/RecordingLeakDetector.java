package io.remora;

import io.netty.util.ResourceLeakDetector;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Netty's leak detector with its reports kept, for {@link LeakGuard}. Named by the system property that the build sets.
 */
public final class RecordingLeakDetector<T> extends ResourceLeakDetector<T> {
    private static final Queue<String> REPORTS = new ConcurrentLinkedQueue<>();

    public RecordingLeakDetector(Class<?> resourceType, int samplingInterval) {
        super(resourceType, samplingInterval);
    }

    /** Netty looks for this one too, and complains where it is missing. */
    public RecordingLeakDetector(Class<?> resourceType, int samplingInterval, long ignoredMaxActive) {
        this(resourceType, samplingInterval);
    }

    /** The reports since the last call. */
    static List<String> takeReports() {
        List<String> taken = new ArrayList<>();
        for (String report = REPORTS.poll(); report != null; report = REPORTS.poll()) {
            taken.add(report);
        }
        return taken;
    }

    @Override
    protected boolean needReport() {
        return true;
    }

    @Override
    protected void reportTracedLeak(String resourceType, String records) {
        REPORTS.add(resourceType + " was not released before it was collected:" + records);
    }

    @Override
    protected void reportUntracedLeak(String resourceType) {
        REPORTS.add(resourceType + " was not released before it was collected");
    }
}

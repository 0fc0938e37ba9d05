package io.remora.memory;

import io.remora.config.model.LogComponent;
import io.remora.log.Log;
import io.remora.metrics.LoopStats;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Watches how much memory is reserved and how much the kernel charges, and sets the stage of pressure by both.
 * It divides the memory again when the limit of the cgroup changes.
 *
 * <p>Thread safe; it runs on one event loop. Cost: nothing while nobody is served, one look a second while there is
 * room and for a minute after a burst, ten where there is little.
 */
public final class MemoryWatch implements Runnable, AutoCloseable {
    private static final long BUSY_MS = 100;
    private static final long CALM_MS = 1_000;
    private static final long LOG_NS = 10_000_000_000L;

    /** Fill, in thousandths, from which on looks are frequent. */
    private static final int BUSY_FILL = 300;

    /** Fill, in thousandths, that is left when a burst is over. */
    private static final int QUIET_FILL = 150;

    private volatile MemoryPlan plan;
    /** Null where there is no limit that may change. */
    private final @Nullable LimitFile limitFile;

    private final UsageFile usageFile;
    private final LoopBudget[] loops;
    private final AtomicBoolean awake = new AtomicBoolean();
    private final AtomicBoolean hurried = new AtomicBoolean();
    private @Nullable ScheduledExecutorService executor;
    private @Nullable Relief relief;
    private @Nullable ScheduledFuture<?> nextLook;
    private volatile Pressure pressure = Pressure.CALM;
    private volatile long usageBytes = UsageFile.UNKNOWN;
    /** The usage at the last look, in thousandths of the usable limit. */
    private volatile int usage;
    /** Bytes that a library holds beyond the plan and the reservations for it. */
    private volatile long unplannedBytes;

    /** Bytes of the heap that the endpoints of all clusters take, on all loops. */
    private final AtomicLong endpointsBytes = new AtomicLong();

    private final AtomicLong changes = new AtomicLong();
    /** Null until active file pages make the stage worse. */
    private @Nullable ActiveFiles activeFiles;
    /** The stage as it would be without active file pages. */
    private Pressure pressureWithoutFiles = Pressure.CALM;

    private long refusedBefore;

    private long loggedNs;
    private Pressure logged = Pressure.CALM;
    /** The stage from which on a change is logged at once: worse than any since it was calm. */
    private Pressure worst = Pressure.SHRINK;

    private final MemoryRelease release;

    private boolean closed;

    /**
     * @param loops how many event loops share the plan
     */
    public MemoryWatch(MemoryPlan plan, int loops) {
        this(plan, loops, "/proc/self/status");
    }

    MemoryWatch(MemoryPlan plan, int loops, String statusFile) {
        this.plan = plan;
        this.loops = new LoopBudget[loops];
        this.usageFile = new UsageFile(plan.limit().from(), statusFile);
        this.release = new MemoryRelease(plan.limit().heapStartBytes());
        this.limitFile = plan.limit().bytes() == 0 ? null : open(plan.limit());
    }

    // apart, so that its class is loaded only under a limit
    private static @Nullable LimitFile open(MemoryLimit limit) {
        return LimitFile.open(limit.from(), limit.machineBytes());
    }

    public MemoryPlan plan() {
        return plan;
    }

    /** Has the limit looked at soon if it has changed, as nobody may be served meanwhile. Any thread. */
    public void lookAtLimit() {
        LimitFile file = limitFile;
        if (file != null && file.hasChanged()) {
            schedule(0);
        }
    }

    /** Returns whether the limit is another one than at the start. */
    public boolean isDivided() {
        LimitFile file = limitFile;
        return file != null && file.isFollowed();
    }

    /** Returns why the limit, as it is now, cannot hold the plan; null where it can. */
    public @Nullable String tooLow() {
        LimitFile file = limitFile;
        return file == null ? null : file.tooLow();
    }

    private void followLimit() {
        LimitFile file = limitFile;
        MemoryPlan next = file == null ? null : file.follow(plan, loops.length);
        if (next == null) {
            return;
        }
        plan = next;
        Relief brings = relief;
        if (brings != null) {
            brings.divide(next);
        }
    }

    /** The budget of one loop; to be called for each, in order, before anything is admitted. */
    public LoopBudget budget(int loop, LoopStats stats) {
        LoopBudget budget = new LoopBudget(plan, loop, loops.length, this, stats);
        loops[loop] = budget;
        return budget;
    }

    /** Lets the watch look from now on, on {@code looking}, and report to {@code told}. */
    public void start(ScheduledExecutorService looking, Relief told) {
        executor = looking;
        relief = told;
    }

    public Pressure pressure() {
        return pressure;
    }

    /** Returns whether the kernel charged so little at the last look that a stage ends where its fill does. */
    boolean usageEnds(Pressure stage) {
        return usage < stage.usageEnds();
    }

    /** Bytes that the kernel charged at the last look, negative where it does not tell or nobody has looked. */
    public long usageBytes() {
        return usageBytes;
    }

    /** Bytes that the kernel charges now, negative where it does not tell. Any thread. */
    public long usageNowBytes() {
        try (UsageFile now = new UsageFile(plan.limit().from(), "/proc/self/status")) {
            return now.bytes();
        }
    }

    /** Bytes that a library which counts its memory held beyond its plan at the last look, all loops together. */
    long unplannedBytes() {
        return unplannedBytes;
    }

    /** Bytes that the library holds now; negative where there is none. */
    public long countedBytes() {
        MemoryCosts.Counted counted = plan.costs().counted();
        return counted == null ? UsageFile.UNKNOWN : counted.bytes();
    }

    /** Bytes of the heap that the endpoints of all clusters take. Any thread. */
    long endpointsBytes() {
        return endpointsBytes.get();
    }

    /**
     * Counts {@code delta} more bytes of endpoints, unless that is more than they may take together. Any thread.
     *
     * @return whether they are counted; fewer always are
     */
    boolean growEndpoints(long delta) {
        long now = endpointsBytes.addAndGet(delta);
        if (delta > 0 && now > plan.endpointsBytes()) {
            endpointsBytes.addAndGet(-delta);
            return false;
        }
        return true;
    }

    /** Returns how often the stage has changed. */
    public long changes() {
        return changes.get();
    }

    /** Begins looks, if they rest, as somebody is served. Any loop. */
    void wake() {
        if (!awake.get() && awake.compareAndSet(false, true)) {
            schedule(CALM_MS);
        }
    }

    /** Has a look soon, as much has been reserved since the last one. Any loop. */
    void hurry() {
        if (!hurried.get() && hurried.compareAndSet(false, true)) {
            schedule(0);
        }
    }

    private synchronized void schedule(long afterMs) {
        if (executor == null || closed) {
            return;
        }
        if (nextLook != null) {
            nextLook.cancel(false);
        }
        try {
            nextLook = executor.schedule(this, afterMs, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            // the loops are ending
            closed = true;
        }
    }

    @Override
    public void run() {
        int fill = 0;
        long refused = 0;
        countUnplanned();
        followLimit();
        for (LoopBudget loop : loops) {
            fill = Math.max(fill, loop.fill());
            refused += loop.refused();
        }
        long bytes = usageFile.bytes();
        usageBytes = bytes;
        Pressure before = pressure;
        Pressure next = judge(fill, bytes, refused > refusedBefore);
        refusedBefore = refused;
        if (next != before) {
            pressure = next;
            changes.incrementAndGet();
        }
        boolean told = log(next, fill, bytes);
        Relief brings = relief;
        if (brings != null) {
            brings.looked(bytes, plan.limit().bytes());
            if (next != before) {
                brings.changed(before, next, fill, bytes);
            }
            if (next != before || next != Pressure.CALM) {
                brings.relieve(next);
            }
        }
        boolean busy = next != Pressure.CALM || fill >= BUSY_FILL;
        boolean unreturned = release.afterBurst(fill <= QUIET_FILL && next == Pressure.CALM);
        boolean settling = release.settle();
        release.afterStart(System.nanoTime());
        goOn(busy, unreturned || settling || !told);
    }

    // the next stage; sets the usage that it follows from
    private Pressure judge(int fill, long bytes, boolean refused) {
        long fileBytes = usageFile.activeFileBytes();
        int all = usage(bytes);
        int withoutFiles = usage(bytes - fileBytes);
        Pressure next = pressure.next(fill, all, refused);
        // on its own, as a stage that files have begun would last by its second threshold
        pressureWithoutFiles = pressureWithoutFiles.next(fill, withoutFiles, refused);
        Pressure spared = pressureWithoutFiles;
        long nowNs = System.nanoTime();
        if (next.isAtLeast(Pressure.REFUSE) && all >= Pressure.REFUSE.usageEnds()) {
            release.releaseFiles(fileBytes, nowNs);
        }
        boolean worseByFiles = next.isAtLeast(Pressure.REFUSE) && next.compareTo(spared) > 0;
        if (worseByFiles && activeFiles == null) {
            activeFiles = new ActiveFiles();
        }
        boolean sparing = activeFiles != null && activeFiles.areSpared(worseByFiles, fill <= QUIET_FILL, nowNs);
        usage = sparing ? withoutFiles : all;
        if (sparing || !worseByFiles) {
            return sparing ? spared : next;
        }
        // no client holds them: to cut one, or to accept none, would free nothing
        return spared.isAtLeast(Pressure.REFUSE) ? spared : Pressure.REFUSE;
    }

    private int usage(long bytes) {
        long usable = plan.usableBytes();
        return usable == 0 || bytes < 0 ? 0 : (int) Math.min(2_000, bytes * 1_000 / usable);
    }

    private void countUnplanned() {
        if (plan.costs().counted() != null) {
            long reserved = 0;
            for (LoopBudget loop : loops) {
                reserved += loop.tlsBytes();
            }
            unplannedBytes = plan.costs().unplannedBytes(reserved);
        }
    }

    private void goOn(boolean busy, boolean unfinished) {
        hurried.set(busy);
        boolean serving = busy || unfinished;
        for (LoopBudget loop : loops) {
            serving |= loop.hasServed();
        }
        if (serving) {
            schedule(busy ? BUSY_MS : CALM_MS);
        } else {
            awake.set(false);
        }
    }

    // at once where it gets worse than it was since it was calm, else seldom: on the brink a stage may come and go with
    // every look
    private boolean log(Pressure now, int fill, long bytes) {
        long nowNs = System.nanoTime();
        if (now == logged) {
            return true;
        }
        if (!now.isAtLeast(worst) && nowNs - loggedNs < LOG_NS) {
            return false;
        }
        logged = now;
        loggedNs = nowNs;
        worst = now == Pressure.CALM ? Pressure.SHRINK : now.isAtLeast(worst) ? now.above() : worst;
        String text = "memory pressure: " + now + ", " + fill / 10 + " % of the grants, "
                + (bytes < 0
                        ? "usage unknown"
                        : bytes + " bytes used, " + usageFile.activeFileBytes() + " of them active file pages");
        if (now.isAtLeast(Pressure.REFUSE)) {
            Log.warn(LogComponent.MEMORY, text);
        } else {
            Log.info(LogComponent.MEMORY, text);
        }
        return true;
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (nextLook != null) {
            nextLook.cancel(false);
        }
        usageFile.close();
        LimitFile file = limitFile;
        if (file != null) {
            file.close();
        }
    }

    /** Relieves pressure where memory is short. */
    public interface Relief {
        /** Called with each look that finds pressure, and with the first that finds none any more. */
        void relieve(Pressure pressure);

        /**
         * Called with each look.
         *
         * @param usageBytes that the kernel charges, negative where it does not tell
         * @param limitBytes 0 without a limit
         */
        default void looked(long usageBytes, long limitBytes) {}

        /**
         * Called where the stage has changed.
         *
         * @param fillPerMille reserved share of the fullest loop's grants
         * @param usageBytes that the kernel charges, negative where it does not tell
         */
        default void changed(Pressure before, Pressure now, int fillPerMille, long usageBytes) {}

        /** Called where the limit has changed, with the plan that holds from now on. */
        default void divide(MemoryPlan plan) {}
    }
}

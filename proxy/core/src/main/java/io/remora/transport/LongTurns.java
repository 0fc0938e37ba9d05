package io.remora.transport;

import java.util.List;

/**
 * Sampler of the event loops that finds long turns and the stacks that hold them.
 *
 * <p>A turn counts from the first sample that finds it. If a sample is late by the bound, the process may have stood still, so
 * this time does not count as part of a turn.
 *
 * <p>Owner: one thread, which calls {@link #sample} at an interval of its choice. Bounds: {@value #MOST_FRAMES} frames of a
 * stack, and one stack of a turn each time its length has doubled. Cost: a number read for each loop and sample. A stack
 * stops all threads while JDK 17 takes it, and is taken of a long turn alone.
 */
public final class LongTurns {
    private static final int MOST_FRAMES = 64;
    private static final long NS_PER_MS = 1_000_000;

    private final Held[] loops;
    private final long aboveNs;
    private long sampledNs;
    private int count;
    private long longestNs;

    /** The present turn of a loop. */
    private static final class Held {
        private final WatchedLoop loop;
        private int turn = -1;
        private long sinceNs;
        private long nextNs;
        private boolean isLong;

        Held(WatchedLoop loop) {
            this.loop = loop;
        }
    }

    LongTurns(List<WatchedLoop> loops, long aboveNs, long nowNs) {
        this.loops = new Held[loops.size()];
        for (int i = 0; i < this.loops.length; i++) {
            this.loops[i] = new Held(loops.get(i));
        }
        this.aboveNs = aboveNs;
        this.sampledNs = nowNs;
    }

    /** Looks at each loop, and appends the stacks of those that are in a long turn, and the ends of such turns. */
    public void sample(long nowNs, StringBuilder out) {
        long stoodNs = nowNs - sampledNs;
        sampledNs = nowNs;
        if (stoodNs >= aboveNs) {
            out.append("process: stopped or got no CPU for ").append(stoodNs / NS_PER_MS);
            out.append(" ms; not counted as part of a turn\n\n");
            shift(stoodNs);
        }
        for (Held one : loops) {
            int turn = one.loop.turns();
            if (turn != one.turn) {
                end(one, nowNs, out);
                one.turn = turn;
                one.sinceNs = nowNs;
                one.nextNs = nowNs + aboveNs;
            } else if ((turn & 1) == 0 && nowNs - one.nextNs >= 0) {
                appendStack(one, nowNs, out);
            }
        }
    }

    /** Has the next sample not count as late for the time that the caller spent on something else. */
    public void resume(long nowNs) {
        sampledNs = nowNs;
    }

    private void shift(long byNs) {
        for (Held one : loops) {
            one.sinceNs += byNs;
            one.nextNs += byNs;
        }
    }

    /** Appends the long turns that have not ended. */
    public void end(long nowNs, StringBuilder out) {
        for (Held one : loops) {
            if (one.isLong) {
                count(one, nowNs);
                appendLoop(one, ": still in the turn after ", nowNs, out);
                out.append('\n');
            }
        }
    }

    private void count(Held one, long nowNs) {
        one.isLong = false;
        count++;
        longestNs = Math.max(longestNs, nowNs - one.sinceNs);
    }

    private static void appendLoop(Held one, String what, long nowNs, StringBuilder out) {
        out.append("loop ").append(one.loop.number).append(what);
        out.append((nowNs - one.sinceNs) / NS_PER_MS).append(" ms\n");
    }

    private static void appendStack(Held one, long nowNs, StringBuilder out) {
        StackTraceElement[] frames = one.loop.stack();
        if (one.loop.turns() != one.turn) {
            // the stack may be of the next turn
            return;
        }
        long sinceNs = nowNs - one.sinceNs;
        one.nextNs = nowNs + sinceNs;
        one.isLong = true;
        appendLoop(one, ": in a turn for ", nowNs, out);
        for (int i = 0; i < frames.length && i < MOST_FRAMES; i++) {
            out.append("  ").append(frames[i]).append('\n');
        }
    }

    private void end(Held one, long nowNs, StringBuilder out) {
        if (one.isLong) {
            count(one, nowNs);
            appendLoop(one, ": the turn took ", nowNs, out);
            out.append('\n');
        }
    }

    /** Returns the number of long turns that were appended. */
    public int count() {
        return count;
    }

    /** Returns the time of the longest one in nanoseconds. */
    public long longestNs() {
        return longestNs;
    }
}

package io.remora.transport;

import java.util.List;

/**
 * Sampler of the event loops that finds long turns and the stacks that hold them.
 *
 * <p>A turn's time is known to the interval of the samples. Where a sample is late by the bound, the whole process has stood
 * still, which is no time of a turn.
 *
 * <p>Owner: one thread, which calls {@link #sample} at an interval of its choice. Bounds: {@value #MOST_FRAMES} frames of a
 * stack, and one stack of a turn each time its length has doubled. Cost: a number read for each loop and sample. A stack is
 * taken of a long turn alone, by a handshake with the loop's thread.
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
            out.append("process: stood still or got no processor for ").append(stoodNs / NS_PER_MS);
            out.append(" ms, which is no time of a turn\n\n");
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

    /** Leaves out the time since the last sample, which the caller spent on something else. */
    public void resume(long nowNs) {
        shift(nowNs - sampledNs);
        sampledNs = nowNs;
    }

    private void shift(long byNs) {
        for (Held one : loops) {
            one.sinceNs += byNs;
            one.nextNs += byNs;
        }
    }

    /** Appends the long turns that have not ended as if they had. */
    public void end(long nowNs, StringBuilder out) {
        for (Held one : loops) {
            end(one, nowNs, out);
        }
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
        out.append("loop ").append(one.loop.number).append(": in a turn for ").append(sinceNs / NS_PER_MS);
        out.append(" ms\n");
        for (int i = 0; i < frames.length && i < MOST_FRAMES; i++) {
            out.append("  ").append(frames[i]).append('\n');
        }
    }

    private void end(Held one, long nowNs, StringBuilder out) {
        if (one.isLong) {
            long lastedNs = nowNs - one.sinceNs;
            count++;
            longestNs = Math.max(longestNs, lastedNs);
            out.append("loop ")
                    .append(one.loop.number)
                    .append(": the turn took ")
                    .append(lastedNs / NS_PER_MS);
            out.append(" ms\n\n");
            one.isLong = false;
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

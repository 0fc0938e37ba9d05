package io.remora.compilelog;

/** Consecutive seconds in which compile threads were busy, or methods waited for them. */
final class Storm {
    /** The totals of its seconds; {@code start} is its first one. */
    final Second total;

    /** The seconds since the start of the VM at which it has ended. */
    private long end;

    private long requests;
    private long p99Ns;
    private long maxNs;

    Storm(Second first, long width) {
        total = new Second(first.start);
        add(first, width);
    }

    void add(Second second, long width) {
        total.add(second);
        end = second.start + width;
    }

    long end() {
        return end;
    }

    /** Returns whether a time in milliseconds since the start of the VM lies in it, or an interval reaches into it. */
    boolean overlaps(long fromMs, long toMs) {
        return fromMs < end * 1_000 && toMs > total.start * 1_000;
    }

    /** Adds an interval of the latency log; the p99 of the storm is the highest of its intervals. */
    void latency(LatencyPoint point) {
        requests += point.count();
        p99Ns = Math.max(p99Ns, point.p99Ns());
        maxNs = Math.max(maxNs, point.maxNs());
    }

    long requests() {
        return requests;
    }

    long p99Ns() {
        return p99Ns;
    }

    long maxNs() {
        return maxNs;
    }
}

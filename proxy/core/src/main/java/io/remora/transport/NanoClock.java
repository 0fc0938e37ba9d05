package io.remora.transport;

/** A monotonic clock in nanoseconds; passed in wherever time is read. Thread safe. */
public interface NanoClock {
    NanoClock SYSTEM = new NanoClock() {
        @Override
        public long nowNs() {
            return System.nanoTime();
        }
    };

    long nowNs();
}

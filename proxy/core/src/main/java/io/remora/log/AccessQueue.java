package io.remora.log;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Entries waiting for the writer: a lock-free ring with many producers and one consumer.
 *
 * <p>Owner: only the writer thread calls {@link #poll}; any thread may call the rest. Bounds: a number of entries, and
 * {@value #ENTRY_BYTES} bytes for each of them on average, but never more than a part of the heap, so that neither long targets nor
 * a long queue can fill it while the writer is stuck.
 */
final class AccessQueue {
    private static final int ENTRY_BYTES = 512;
    /** The size of an entry without its strings. */
    private static final int BASE_BYTES = 240;

    private static final int HEAP_PARTS = 16;

    static final int FULL = -1;

    private final int capacity;
    private final int mask;
    private final long maxBytes;
    private final AtomicReferenceArray<@Nullable AccessEntry> slots;
    private final AtomicLong tail = new AtomicLong();
    private final AtomicLong head = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    AccessQueue(int wanted) {
        this(wanted, Runtime.getRuntime().maxMemory());
    }

    /** @param heapBytes that the process may use at most */
    AccessQueue(int wanted, long heapBytes) {
        maxBytes = Math.min(Math.max((long) wanted * ENTRY_BYTES, 64 * 1024), heapBytes / HEAP_PARTS);
        capacity = (int) Math.min(wanted, Math.max(1, maxBytes / BASE_BYTES));
        int size = capacity <= 1 ? 1 : Integer.highestOneBit(capacity - 1) << 1;
        mask = size - 1;
        slots = new AtomicReferenceArray<>(size);
    }

    /** Adds an entry and returns how many are waiting now, this one included; or {@link #FULL}. */
    int offer(AccessEntry entry) {
        int weight = weight(entry);
        if (bytes.get() + weight > maxBytes) {
            return FULL;
        }
        long position;
        int waiting;
        do {
            position = tail.get();
            waiting = (int) (position - head.get());
            if (waiting >= capacity) {
                return FULL;
            }
        } while (!tail.compareAndSet(position, position + 1));
        bytes.addAndGet(weight);
        slots.set((int) position & mask, entry);
        return waiting + 1;
    }

    /** Removes the oldest entry; null if there is none, or if it is still being stored. */
    @Nullable
    AccessEntry poll() {
        long position = head.get();
        int slot = (int) position & mask;
        AccessEntry entry = slots.get(slot);
        if (entry != null) {
            slots.lazySet(slot, null);
            head.set(position + 1);
            bytes.addAndGet(-weight(entry));
        }
        return entry;
    }

    /** Returns the largest number of entries that may wait. */
    int capacity() {
        return capacity;
    }

    int size() {
        return (int) (tail.get() - head.get());
    }

    private static int weight(AccessEntry entry) {
        return BASE_BYTES
                + entry.method().length()
                + entry.target().length()
                + length(entry.identity())
                + length(entry.host())
                + length(entry.requestId())
                + length(entry.referer())
                + length(entry.userAgent())
                + length(entry.traceId());
    }

    private static int length(@Nullable String text) {
        return text == null ? 0 : text.length();
    }
}

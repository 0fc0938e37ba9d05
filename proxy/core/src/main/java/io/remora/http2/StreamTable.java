package io.remora.http2;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The streams of one connection that are under way, by their numbers: an open-addressed table.
 *
 * <p>Owner: one connection, of either side. Cost: two arrays, at most half full; few numbers meet that are at one
 * distance from each other. Bounds: the streams that may be open at once; arrays for many go with the last stream.
 *
 * @param <S> a stream of one side
 */
class StreamTable<S> {
    private static final int LEAST = 4;
    /** 2^32 divided by the golden ratio: numbers at any one distance spread evenly. */
    private static final int SPREAD = 0x9e3779b9;
    /** Places that a table without streams keeps. */
    private static final int KEPT = 32;

    private int[] numbers = new int[LEAST];
    private @Nullable Object[] streams = new Object[LEAST];
    private int size;

    /** Returns how many there are. */
    final int size() {
        return size;
    }

    final boolean isEmpty() {
        return size == 0;
    }

    /** Returns the stream of that number; null where there is none. */
    final @Nullable S get(int number) {
        return at(slot(number));
    }

    /** Adds a stream, whose number is a new one. */
    final void put(int number, S stream) {
        if (2 * size == numbers.length) {
            grow();
        }
        int slot = slot(number);
        numbers[slot] = number;
        streams[slot] = stream;
        size++;
    }

    /** Takes the stream of that number out, if it is there. */
    final void remove(int number) {
        int gap = slot(number);
        if (streams[gap] == null) {
            return;
        }
        size--;
        // those behind it may stand there because of it
        for (int slot = next(gap); streams[slot] != null; slot = next(slot)) {
            int home = home(numbers[slot]);
            boolean mayFill = gap <= slot ? home <= gap || home > slot : home <= gap && home > slot;
            if (mayFill) {
                numbers[gap] = numbers[slot];
                streams[gap] = streams[slot];
                gap = slot;
            }
        }
        streams[gap] = null;
        if (size == 0 && streams.length > KEPT) {
            numbers = new int[LEAST];
            streams = new Object[LEAST];
        }
    }

    // the one of that number, or the free one where it would be
    private int slot(int number) {
        int slot = home(number);
        while (streams[slot] != null && numbers[slot] != number) {
            slot = next(slot);
        }
        return slot;
    }

    // the upper bits, on which all bits of the number tell, as a client may choose numbers whose lower bits are the
    // same
    private int home(int number) {
        return number * SPREAD >>> Integer.numberOfLeadingZeros(numbers.length - 1);
    }

    private int next(int slot) {
        return slot + 1 & numbers.length - 1;
    }

    private void grow() {
        int[] oldNumbers = numbers;
        @Nullable Object[] oldStreams = streams;
        numbers = new int[2 * oldNumbers.length];
        streams = new Object[numbers.length];
        for (int i = 0; i < oldNumbers.length; i++) {
            if (oldStreams[i] != null) {
                int slot = slot(oldNumbers[i]);
                numbers[slot] = oldNumbers[i];
                streams[slot] = oldStreams[i];
            }
        }
    }

    // ---- all of them

    /** Returns the number of places, of which {@link #at} shows one; no stream may begin or end meanwhile. */
    final int places() {
        return streams.length;
    }

    /** Returns the stream at a place; null where it is free. */
    @SuppressWarnings("unchecked") // put() adds no other
    final @Nullable S at(int place) {
        return (S) streams[place];
    }

    /** Copies all of them into {@code into}, for a loop whose steps may end streams. */
    final S[] copy(S[] into) {
        S[] copied = Arrays.copyOf(into, size);
        int at = 0;
        for (int i = 0; i < streams.length; i++) {
            S stream = at(i);
            if (stream != null) {
                copied[at++] = stream;
            }
        }
        return copied;
    }
}

package io.remora.compilelog;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Numbers by reason.
 *
 * <p>Bounds: 256 reasons of 200 characters; further ones are counted as {@link #OTHERS}.
 */
final class ReasonCounts {
    static final String OTHERS = "(others)";
    private static final int MAX_REASONS = 256;
    private static final int MAX_LENGTH = 200;

    private final Map<String, long[]> counts = new HashMap<>();

    /** Adds one, and returns the reason as it is kept. */
    String add(String full) {
        String reason = full.length() <= MAX_LENGTH ? full : full.substring(0, MAX_LENGTH);
        if (!counts.containsKey(reason) && counts.size() >= MAX_REASONS) {
            reason = OTHERS;
        }
        counts.computeIfAbsent(reason, any -> new long[1])[0]++;
        return reason;
    }

    long get(String reason) {
        long[] count = counts.get(reason);
        return count == null ? 0 : count[0];
    }

    /** Returns the reasons, the most frequent first. */
    List<String> sorted() {
        List<String> reasons = new ArrayList<>(counts.keySet());
        reasons.sort((one, other) -> {
            int order = Long.compare(get(other), get(one));
            return order == 0 ? one.compareTo(other) : order;
        });
        return reasons;
    }
}

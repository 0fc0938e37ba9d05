package io.remora.naming;

import io.remora.config.model.Limits;
import io.remora.dns.DnsAnswer;
import io.remora.dns.DnsType;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The last addresses that a source has answered with, by question. They stand in for an answer that fails while others do not.
 *
 * <p>Owner: the thread that asks. Bounds: the questions of one look at a name, for as long as the last answer of a source is kept.
 */
final class KeptAnswers {
    private final long keepNs;
    private Map<String, Kept> before = new HashMap<>();
    private Map<String, Kept> current = new HashMap<>();

    private static final class Kept {
        final DnsAnswer answer;
        /** True once the question has failed since. */
        boolean hasFailed;

        /** The first of those failures. */
        long failedNs;

        Kept(DnsAnswer answer) {
            this.answer = answer;
        }
    }

    /**
     * @param keepNs counted from the first failure; 0 for not at all, {@link Limits#UNLIMITED} for good
     */
    KeptAnswers(long keepNs) {
        this.keepNs = keepNs;
    }

    /** Another look begins. */
    void begin() {
        current = new HashMap<>();
    }

    /** Ends a look that has succeeded: answers to questions outside it are not kept. */
    void end() {
        before = current;
    }

    void answered(String name, DnsType type, DnsAnswer answer) {
        if (keepNs != 0 && !answer.records().isEmpty()) {
            current.put(type + name, new Kept(answer));
        }
    }

    /** The answer that stands in for one that has failed; null for none. */
    @Nullable
    DnsAnswer insteadOf(String name, DnsType type, long nowNs) {
        String question = type + name;
        Kept kept = before.get(question);
        if (kept == null) {
            return null;
        }
        if (!kept.hasFailed) {
            kept.hasFailed = true;
            kept.failedNs = nowNs;
        }
        if (keepNs != Limits.UNLIMITED && nowNs - kept.failedNs >= keepNs) {
            return null;
        }
        current.put(question, kept);
        return kept.answer;
    }
}

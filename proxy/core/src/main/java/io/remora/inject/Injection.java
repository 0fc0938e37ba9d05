package io.remora.inject;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Result of an injection into one pod. Immutable.
 *
 * @param pod the pod with the sidecar; the given one unless the outcome is {@link Outcome#INJECTED}
 * @param messages the problems of {@link Outcome#REFUSED}, the reason of {@link Outcome#SKIPPED}, or warnings
 */
public record Injection(Outcome outcome, Map<String, @Nullable Object> pod, List<String> messages) {
    /** Kinds of results. */
    public enum Outcome {
        /** The pod has changed. */
        INJECTED,
        /** The pod has what its annotations ask for already. */
        UNCHANGED,
        /** The pod is not to be injected. */
        SKIPPED,
        /** The pod must not start as it is. */
        REFUSED
    }
}

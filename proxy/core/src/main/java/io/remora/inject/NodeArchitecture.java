package io.remora.inject;

import io.remora.text.Ascii;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Node affinity that keeps a pod on nodes whose architecture has an image of the sidecar. */
final class NodeArchitecture {
    private static final String LABEL = "kubernetes.io/arch";
    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
    private static final String TERMS = "nodeSelectorTerms";
    private static final String EXPRESSIONS = "matchExpressions";

    private NodeArchitecture() {}

    /** Adds the requirement to each alternative that the pod has; one alternative is enough for a node. */
    static void require(
            Map<String, @Nullable Object> spec,
            List<String> architectures,
            Additions additions,
            List<String> problems) {
        if (architectures.isEmpty()) {
            return;
        }
        String chosen = Trees.text(Trees.map(spec, "nodeSelector").get(LABEL));
        if (chosen != null) {
            if (!architectures.contains(chosen)) {
                problems.add(
                        "nodeSelector " + LABEL + " is " + Ascii.quote(chosen) + "; the image of the sidecar is for "
                                + String.join(", ", architectures) + "; choose another by " + Annotation.IMAGE.key());
            }
            return;
        }
        Map<String, @Nullable Object> affinity = additions.map(spec, "affinity", "affinity");
        Map<String, @Nullable Object> node = additions.map(affinity, "nodeAffinity", "nodeAffinity");
        Map<String, @Nullable Object> required = additions.map(node, REQUIRED, "required");
        List<@Nullable Object> terms = additions.list(required, TERMS, "terms");
        if (terms.isEmpty()) {
            terms.add(Trees.of(EXPRESSIONS, new ArrayList<@Nullable Object>()));
        }
        for (Map<String, @Nullable Object> term : Trees.maps(required, TERMS)) {
            if (term.isEmpty()) {
                // it matches no node, and must not begin to
                continue;
            }
            if (!(term.get(EXPRESSIONS) instanceof List<?>)) {
                term.put(EXPRESSIONS, new ArrayList<@Nullable Object>());
            }
            Trees.list(term, EXPRESSIONS).add(expression(architectures));
        }
        for (String architecture : architectures) {
            additions.add("architectures", architecture);
        }
    }

    private static Map<String, @Nullable Object> expression(List<?> architectures) {
        return Trees.of("key", LABEL, "operator", "In", "values", new ArrayList<>(architectures));
    }

    /** Removes what {@link #require} has added, for the architectures that it recorded. */
    static void release(Map<String, @Nullable Object> spec, List<?> architectures, List<?> created) {
        Map<String, @Nullable Object> affinity = Trees.map(spec, "affinity");
        Map<String, @Nullable Object> node = Trees.map(affinity, "nodeAffinity");
        Map<String, @Nullable Object> required = Trees.map(node, REQUIRED);
        for (Map<String, @Nullable Object> term : Trees.maps(required, TERMS)) {
            List<@Nullable Object> expressions = Trees.list(term, EXPRESSIONS);
            int last = expressions.lastIndexOf(expression(architectures));
            if (last >= 0) {
                expressions.remove(last);
            }
            if (expressions.isEmpty()) {
                term.remove(EXPRESSIONS);
            }
        }
        List<@Nullable Object> terms = Trees.list(required, TERMS);
        if (Additions.hasCreated(created, "terms") && terms.size() == 1 && Objects.equals(terms.get(0), Map.of())) {
            terms.clear();
        }
        Additions.remove(required, TERMS, "terms", created);
        Additions.remove(node, REQUIRED, "required", created);
        Additions.remove(affinity, "nodeAffinity", "nodeAffinity", created);
        Additions.remove(spec, "affinity", "affinity", created);
    }
}

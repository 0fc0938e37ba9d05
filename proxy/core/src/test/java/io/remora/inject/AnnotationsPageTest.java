package io.remora.inject;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.ReferencePage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Holds docs/annotations.md against the declarations of the annotations. */
final class AnnotationsPageTest {
    /** With {@code -Dremora.page=write} (make docs) it writes the table instead of judging it. */
    @Test
    void hasEveryAnnotation() throws IOException {
        Map<String, String> comments = ReferencePage.comments("inject/Annotation.java");
        List<String> lines =
                new ArrayList<>(List.of("| annotation | value | default | description |", "|---|---|---|---|"));
        for (Annotation one : Annotation.values()) {
            String comment = comments.get(one.name());
            assertThat(comment).as(one.key()).isNotNull();
            String fallback = one.fallback() == null ? "see the description" : one.fallback();
            lines.add("| `" + one.key() + "` | " + one.allowed() + " | " + fallback + " | " + comment + " |");
        }
        assertThat(lines).hasSize(19);
        ReferencePage.holds("annotations.md", "annotations", lines);
    }
}

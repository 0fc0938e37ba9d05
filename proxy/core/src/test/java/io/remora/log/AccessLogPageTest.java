package io.remora.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.log.AccessLogConfig.Format;
import io.remora.testkit.ReferencePage;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Holds docs/access-log.md against the fields of an entry and their names in a line. */
final class AccessLogPageTest {
    /** With {@code -Dremora.page=write} (make docs) it writes the table instead of comparing it. */
    @Test
    void hasEveryField() throws IOException {
        Map<String, String> descriptions = ReferencePage.parameters("log/AccessEntry.java");
        String line = AccessFormatterTest.line(Format.JSON, Entries.target("/"));
        Iterator<String> names = StrictJson.object(line.strip()).keySet().iterator();
        List<String> lines = new ArrayList<>(List.of("| field | description |", "|---|---|"));
        for (RecordComponent field : AccessEntry.class.getRecordComponents()) {
            String name = names.next();
            // so that a description stands next to no other field's name
            assertThat(name.replace("_", ""))
                    .isEqualTo(field.getName().toLowerCase(Locale.ROOT).replaceFirst("^timems$", "time"));
            assertThat(descriptions).containsKey(field.getName());
            lines.add("| `" + name + "` | " + descriptions.get(field.getName()) + " |");
        }
        assertThat(names).isExhausted();
        ReferencePage.holds("access-log.md", "fields", lines);
    }
}

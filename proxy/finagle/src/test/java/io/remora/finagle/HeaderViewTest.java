package io.remora.finagle;

import static org.assertj.core.api.Assertions.assertThat;

import com.twitter.finagle.http.HeaderMap;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class HeaderViewTest {
    private final Fields fields = new Fields();

    private HeaderView view(String... lines) {
        for (String line : lines) {
            int colon = line.indexOf(':');
            fields.add(FieldName.of(line.substring(0, colon)), line.substring(colon + 1));
        }
        return new HeaderView(fields);
    }

    private static List<String> lines(Fields fields) {
        List<String> lines = new ArrayList<>();
        for (int line = 0; line < fields.size(); line++) {
            lines.add(fields.name(line) + ':' + fields.value(line));
        }
        return lines;
    }

    @Test
    void keepsTheLinesOfWhoOnlyLooks() {
        HeaderView view = view("B:1", "a:2", "B:3", "Host:h", "b:4");
        assertThat(view.map().apply("host")).isEqualTo("h");
        assertThat(view.map().getAll("b").size()).isEqualTo(3);
        assertThat(lines(view.fields())).containsExactly("B:1", "a:2", "B:3", "Host:h", "b:4");
    }

    @Test
    void changesWhatWasChangedAndNothingElse() {
        HeaderView view = view("C:1", "B:1", "B:2", "A:1");
        HeaderMap map = view.map();
        map.set("B", "x");
        map.removeHeader("C");
        map.add("D", "1");
        map.add("D", "2");
        assertThat(lines(view.fields())).containsExactly("B:x", "A:1", "D:1", "D:2");
    }

    @Test
    void addsToARepeatedLine() {
        HeaderView view = view("A:1", "B:1");
        view.map().add("A", "2");
        assertThat(lines(view.fields())).containsExactlyInAnyOrder("A:1", "A:2", "B:1");
    }
}

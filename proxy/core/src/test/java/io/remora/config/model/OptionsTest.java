package io.remora.config.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class OptionsTest {
    private static final Option<String> NAME = Option.of("name");
    private static final Option<Boolean> SWITCH = Option.of("switch");
    private static final Option<List<String>> LIST = Option.of("list");
    private static final Option<Map<String, String>> MAP = Option.of("map");

    @Test
    void aPartIsFoundByItsOption() {
        Options options = Options.NONE.with(NAME, "a").with(LIST, List.of("b"));
        assertThat(options.get(NAME)).isEqualTo("a");
        assertThat(options.get(LIST, List.of())).containsExactly("b");
        assertThat(options.get(MAP)).isNull();
        assertThat(options.get(MAP, Map.of())).isEmpty();
        assertThat(options.has(NAME)).isTrue();
        assertThat(options.has(SWITCH)).isFalse();
    }

    @Test
    void anOptionOfTheSameNameIsTheSame() {
        assertThat(Options.NONE.with(NAME, "a").has(Option.of("name"))).isTrue();
    }

    @Test
    void whatIsOffTakesNoPlace() {
        Options options = Options.NONE
                .with(NAME, null)
                .with(SWITCH, false)
                .with(LIST, List.of())
                .with(MAP, Map.of());
        assertThat(options).isSameAs(Options.NONE);
        assertThat(Options.NONE.with(SWITCH, true).with(SWITCH, false)).isSameAs(Options.NONE);
    }

    @Test
    void aPartIsReplacedAndRemoved() {
        Options options = Options.NONE.with(NAME, "a").with(SWITCH, true).with(LIST, List.of("b"));
        assertThat(options.with(SWITCH, false).values()).containsExactly("a", List.of("b"));
        assertThat(options.with(NAME, "c").values()).containsExactly("c", true, List.of("b"));
        assertThat(options.values()).containsExactly("a", true, List.of("b"));
    }

    @Test
    void theOrderMakesNoDifference() {
        Options one = Options.NONE.with(NAME, "a").with(SWITCH, true);
        Options other = Options.NONE.with(SWITCH, true).with(NAME, "a");
        assertThat(one).isEqualTo(other).hasSameHashCodeAs(other);
        assertThat(one).isNotEqualTo(other.with(NAME, "b")).isNotEqualTo(other.with(LIST, List.of("c")));
        assertThat(one).isNotEqualTo(Options.NONE.with(NAME, "a").with(LIST, List.of("c")));
    }

    @Test
    void someAreKept() {
        Options options = Options.NONE.with(NAME, "a").with(SWITCH, true);
        assertThat(options.only(SWITCH, LIST)).isEqualTo(Options.NONE.with(SWITCH, true));
        assertThat(options.only(LIST)).isSameAs(Options.NONE);
    }

    @Test
    void itSaysWhatItHas() {
        assertThat(Options.NONE.with(NAME, "a").with(SWITCH, true)).hasToString("{name=a, switch=true}");
    }
}

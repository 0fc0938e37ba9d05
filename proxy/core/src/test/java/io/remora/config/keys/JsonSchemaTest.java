package io.remora.config.keys;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.remora.config.yaml.Yaml;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Holds the schema that {@code remora schema} prints against the declarations, and against files by the rules of another library. */
final class JsonSchemaTest {
    private static final Path SCHEMA = Path.of("proxy/core/src/main/resources/io/remora/config/schema.json");
    /** A block of a page that is fenced, or indented as most are. */
    private static final Pattern BLOCK = Pattern.compile(
            "```ya?ml\\n(.*?)```|((?:^ {4}[^\\n]*\\n|^\\n(?= {4}))+)", Pattern.DOTALL | Pattern.MULTILINE);

    private static final String VARIABLE = "${NAME:-1}";

    private static Schema schema;

    static Stream<Path> examples() throws IOException {
        return ConfigurationPageTest.examples();
    }

    static Stream<String> sections() {
        return ConfigurationPageTest.SECTIONS.keySet().stream();
    }

    /** With {@code -Dremora.page=write} (make docs) it writes the schema instead of judging it. */
    @Test
    void isWhatTheDeclarationsMake() throws IOException {
        Path root = ConfigurationPageTest.root();
        String made = JsonSchema.text(root.resolve(ConfigurationPageTest.SOURCES));
        if ("write".equals(System.getProperty("remora.page"))) {
            Files.createDirectories(root.resolve(SCHEMA).getParent());
            Files.writeString(root.resolve(SCHEMA), made);
        }

        assertThat(root.resolve(SCHEMA)).as("what \"make docs\" writes").hasContent(made);
    }

    @ParameterizedTest
    @MethodSource("examples")
    void takesEveryExample(Path example) throws IOException {
        assertThat(errors(Files.readString(example))).isEmpty();
    }

    @Test
    void takesWholeConfigurationsOfThePages() throws IOException {
        List<String> blocks = new ArrayList<>();
        try (Stream<Path> pages = Files.list(ConfigurationPageTest.root().resolve("docs"))) {
            for (Path page :
                    pages.filter(path -> path.toString().endsWith(".md")).toList()) {
                Matcher block = BLOCK.matcher(Files.readString(page));
                while (block.find()) {
                    blocks.add(
                            block.group(1) != null
                                    ? block.group(1)
                                    : block.group(2).indent(-4));
                }
            }
        }
        blocks.removeIf(block -> !block.contains("listeners:") || !block.contains("clusters:"));
        assertThat(blocks).hasSizeGreaterThan(5);
        blocks.add(Yaml.MINIMAL);
        blocks.add(Yaml.FULL);

        for (String block : blocks) {
            assertThat(errors(block)).as(block).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("sections")
    void refusesAKeyThatItDoesNotKnow(String section) throws IOException {
        String yaml = ConfigurationPageTest.SECTIONS.get(section);

        assertThat(errors(yaml)).anySatisfy(error -> assertThat(error).contains(ConfigurationPageTest.NO_KEY));
        assertThat(errors(without(yaml, ConfigurationPageTest.NO_KEY + ": 1"))).isEmpty();
    }

    @Test
    void takesNumbersWithinTheirBoundsOnly() throws IOException {
        Map<String, String> wrong = new TreeMap<>();
        int judged = 0;
        for (Map.Entry<String, Key> each : KeyTable.keys().entrySet()) {
            Key key = each.getValue();
            if (key.max > 0 && key.units == Units.NONE) {
                judged++;
                expect(true, each, key.min, wrong);
                expect(true, each, key.max, wrong);
                expect(false, each, key.min - 1, wrong);
                expect(false, each, key.max + 1, wrong);
            }
        }

        assertThat(wrong).isEmpty();
        assertThat(judged).isGreaterThan(40);
    }

    @Test
    void takesDurationsAndSizesWithTheirUnitsOnly() throws IOException {
        Map<String, String> wrong = new TreeMap<>();
        for (Map.Entry<String, Key> each : KeyTable.keys().entrySet()) {
            Key key = each.getValue();
            if (key.max > 0 && key.units != Units.NONE) {
                expect(true, each, key.format(key.min), wrong);
                expect(true, each, key.format(key.max), wrong);
                expect(key.units.canBeOff(), each, Key.OFF, wrong);
                expect(false, each, 30, wrong);
                expect(false, each, "30", wrong);
                expect(false, each, "30 parsecs", wrong);
            }
        }

        assertThat(wrong).isEmpty();
    }

    @Test
    void takesOnlyTheWordsOfAChoice() throws IOException {
        Map<String, String> wrong = new TreeMap<>();
        for (Map.Entry<String, Key> each : KeyTable.keys().entrySet()) {
            if (each.getValue() instanceof Choice<?> choice && choice.type == null) {
                for (String word : Choice.names(Arrays.asList(choice.all()))) {
                    expect(true, each, word, wrong);
                }
                expect(false, each, "no-such-word", wrong);
            } else if ("switch".equals(each.getValue().type)) {
                expect(true, each, true, wrong);
                expect(false, each, "yes", wrong);
            }
        }

        assertThat(wrong).isEmpty();
    }

    @Test
    void takesAVariableForEveryScalarAndNoScalarForAMapping() throws IOException {
        Map<String, String> wrong = new TreeMap<>();
        for (Map.Entry<String, Key> each : KeyTable.keys().entrySet()) {
            String type = each.getValue().type;
            boolean isMapping = type != null && type.startsWith(Key.MAPPING) && !type.endsWith(Key.OFF);
            boolean isList = type != null && type.startsWith(Key.LIST) && !type.endsWith("auto");
            expect(!isMapping && !isList, each, VARIABLE, wrong);
            expect(false, each, List.of(List.of()), wrong);
        }

        assertThat(wrong).isEmpty();
    }

    private static String without(String yaml, String entry) {
        return yaml.replace(entry + ", ", "").replace(", " + entry, "").replace(entry, "");
    }

    private static void expect(boolean good, Map.Entry<String, Key> each, Object value, Map<String, String> wrong)
            throws IOException {
        String place = place(each.getValue());
        StringBuilder json = new StringBuilder();
        JsonSchema.write(with(each.getValue(), value), 0, json);
        List<String> errors = schema().validate(json.toString(), InputFormat.JSON).stream()
                .filter(error -> error.getInstanceLocation().toString().startsWith(place))
                .map(Error::toString)
                .toList();
        if (errors.isEmpty() != good) {
            wrong.put(each.getKey() + " as " + value, errors.toString());
        }
    }

    /** A file that has nothing but this key. */
    private static Object with(Key key, Object value) {
        Map<String, Object> mapping = new LinkedHashMap<>();
        mapping.put(key.name, value);
        if (key.parent == null) {
            return mapping;
        }
        Object above = key.parent.isList()
                ? List.of(mapping)
                : Key.CLUSTERS.equals(key.parent.type) ? Map.of("NAME", mapping) : mapping;
        return with(key.parent, above);
    }

    private static String place(Key key) {
        if (key.parent == null) {
            return "/" + key.name;
        }
        String between = key.parent.isList() ? "/0" : Key.CLUSTERS.equals(key.parent.type) ? "/NAME" : "";
        return place(key.parent) + between + "/" + key.name;
    }

    private static List<String> errors(String yaml) throws IOException {
        Object read = new Load(LoadSettings.builder().build()).loadFromString(yaml);
        StringBuilder json = new StringBuilder();
        JsonSchema.write(read, 0, json);
        return schema().validate(json.toString(), InputFormat.JSON).stream()
                .map(Error::toString)
                .toList();
    }

    private static Schema schema() throws IOException {
        if (schema == null) {
            SchemaRegistry registry = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_7);
            String text = Files.readString(ConfigurationPageTest.root().resolve(SCHEMA));
            schema = registry.getSchema(text, InputFormat.JSON);
        }
        return schema;
    }
}

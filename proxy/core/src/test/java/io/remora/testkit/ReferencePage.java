package io.remora.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A page of docs whose blocks come from declarations in the code. A block stands between
 * {@code <!-- generated:NAME -->} and {@code <!-- /generated -->}.
 *
 * <p>A test compares each block with the code; with {@code -Dremora.page=write} (make docs) it writes the block first.
 */
public final class ReferencePage {
    /** A comment and the name of the constant below it. */
    private static final Pattern CONSTANT = Pattern.compile(
            "/\\*\\*((?:(?!\\*/).)*)\\*/\\s*(?:(?:private |public )?(?:static final )?(?:String|int) (\\w+) =|([A-Z][A-Z_0-9]*)(?:\\(|,\\n|;|\\n))",
            Pattern.DOTALL);

    private static final Pattern STRING = Pattern.compile("String ([A-Z_]+) = \"([^\"]*)\"");

    private static final Pattern NUMBER = Pattern.compile("int ([A-Z_]+) = (\\d+);");

    private static final Pattern CODE = Pattern.compile("\\{@code\\s+((?:[^{}]|\\{[^{}]*\\})*)\\}");

    private static final Pattern PARAMETER = Pattern.compile("(?s)\\* @param (\\w+) (.*?)(?=\\n \\* @|\\n \\*/)");

    private ReferencePage() {}

    /** Asserts that the block has these lines. */
    public static void holds(String page, String block, List<String> lines) throws IOException {
        Path file = Path.of("../../docs", page);
        List<String> present = Files.readAllLines(file);
        int begin = present.indexOf("<!-- generated:" + block + " -->");
        assertThat(begin).as("the block " + block + " of " + page).isNotNegative();
        int end = begin + present.subList(begin, present.size()).indexOf("<!-- /generated -->");
        assertThat(end).as("the end of the block " + block).isGreaterThan(begin);
        // Markdown takes what directly follows a comment for HTML
        List<String> made = new ArrayList<>(present.subList(0, begin + 1));
        made.add("");
        made.addAll(lines);
        made.add("");
        made.addAll(present.subList(end, present.size()));
        if ("write".equals(System.getProperty("remora.page"))) {
            Files.write(file, made);
        }
        assertThat(Files.readAllLines(file))
                .as("docs/" + page + ", which \"make docs\" writes")
                .isEqualTo(made);
    }

    /** The comments of a source's constants as Markdown of a page in docs, by the constant's name. */
    public static Map<String, String> comments(String source) throws IOException {
        Map<String, String> comments = new LinkedHashMap<>();
        Matcher constant = CONSTANT.matcher(Files.readString(Path.of("src/main/java/io/remora", source)));
        while (constant.find()) {
            comments.put(
                    constant.group(2) == null ? constant.group(3) : constant.group(2), markdown(constant.group(1)));
        }
        return comments;
    }

    /** The comments of a record's components as Markdown of a page in docs, by the component's name. */
    public static Map<String, String> parameters(String source) throws IOException {
        Map<String, String> parameters = new LinkedHashMap<>();
        Matcher parameter = PARAMETER.matcher(Files.readString(Path.of("src/main/java/io/remora", source)));
        while (parameter.find()) {
            parameters.put(parameter.group(1), markdown(parameter.group(2)));
        }
        return parameters;
    }

    private static String markdown(String comment) {
        String text = comment.replaceAll("\\s*\\n\\s*\\* *", " ").strip();
        return CODE.matcher(text).replaceAll(code -> Matcher.quoteReplacement("`" + code.group(1) + "`"));
    }

    /** The values of a source's constants that are strings, by the constant's name. */
    public static Map<String, String> strings(String source) throws IOException {
        return values(source, STRING);
    }

    /** The values of a source's constants that are numbers, by the constant's name. */
    public static Map<String, String> numbers(String source) throws IOException {
        return values(source, NUMBER);
    }

    private static Map<String, String> values(String source, Pattern declaration) throws IOException {
        Map<String, String> values = new LinkedHashMap<>();
        Matcher constant = declaration.matcher(Files.readString(Path.of("src/main/java/io/remora", source)));
        while (constant.find()) {
            values.put(constant.group(1), constant.group(2));
        }
        return values;
    }
}

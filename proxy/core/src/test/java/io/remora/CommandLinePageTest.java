package io.remora;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.ReferencePage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds docs/command-line.md against the sidecar's help, and against its launcher. */
final class CommandLinePageTest {
    private static final String PAGE = "command-line.md";
    /** A word of the help or a variable of the launcher, and its sentence. */
    private static final Pattern WORD = Pattern.compile("(?m)^(?:# )?  (\\S+(?:,? [A-Z_]+)?)  +(.*)$");

    private static final Pattern STATUS = Pattern.compile("(?m)^# (.*)\\n\\w+_status=(\\d+)$");
    private static final Pattern COMMAND_STATUSES = Pattern.compile("\"exit status: (.*)\\\\n\"");
    private static final Pattern USAGE = Pattern.compile("(?s)cat <<'END'\\n(.*?)\\nEND\\n");

    /** With {@code -Dremora.page=write} (make docs) it writes the table instead of judging it, as all here do. */
    @Test
    void hasTheWordsOfTheHelp() throws IOException {
        List<String> lines = block(Help.TEXT.lines().takeWhile(line -> !line.isEmpty()));
        lines.addAll(List.of("", "| word | effect |", "|---|---|"));
        lines.addAll(words(Help.TEXT));
        ReferencePage.holds(PAGE, "words", lines);
    }

    @Test
    void hasTheExitStatusesOfTheSidecar() throws IOException {
        List<String> lines = new ArrayList<>(List.of("| exit status of the sidecar | reason |", "|--:|---|"));
        Map<String, String> comments = ReferencePage.comments("ExitStatus.java");
        ReferencePage.numbers("ExitStatus.java").forEach((name, number) -> {
            if (comments.containsKey(name)) {
                lines.add("| " + number + " | " + comments.get(name) + " |");
            }
        });
        assertThat(lines).hasSize(8);
        ReferencePage.holds(PAGE, "statuses", lines);
    }

    @Test
    void hasTheVariablesOfTheLauncher() throws IOException {
        String script = Files.readString(Path.of("../bin/remora"));
        List<String> lines = new ArrayList<>(List.of("| variable | meaning |", "|---|---|"));
        lines.addAll(words(script.substring(0, script.indexOf("set -eu"))));
        assertThat(lines).hasSize(9);
        ReferencePage.holds(PAGE, "variables", lines);
    }

    @Test
    void hasTheExitStatusesOfTheLauncher() throws IOException {
        List<String> lines = new ArrayList<>(List.of("| exit status of the launcher | reason |", "|--:|---|"));
        Matcher status = STATUS.matcher(Files.readString(Path.of("../../jvm-profiles/selection.sh")));
        while (status.find()) {
            lines.add("| " + status.group(2) + " | " + status.group(1) + " |");
        }
        assertThat(lines).hasSize(5);
        ReferencePage.holds(PAGE, "launcher-statuses", lines);
    }

    @Test
    void hasTheExitStatusesOfTheCommandsInImages() throws IOException {
        Matcher usage = COMMAND_STATUSES.matcher(Files.readString(Path.of("../../runtime-images/launcher/admin.c")));
        assertThat(usage.find()).isTrue();
        List<String> lines = new ArrayList<>(List.of("| exit status | meaning |", "|--:|---|"));
        for (String status : usage.group(1).split(", ")) {
            lines.add("| " + status.replaceFirst(" ", " | ") + " |");
        }
        assertThat(lines).hasSize(6);
        ReferencePage.holds("lifecycle.md", "command-statuses", lines);
    }

    @Test
    void hasTheHelpOfSelect() throws IOException {
        Matcher usage = USAGE.matcher(Files.readString(Path.of("../../jvm-profiles/select")));
        assertThat(usage.find()).isTrue();
        ReferencePage.holds(PAGE, "select", block(usage.group(1).lines()));
    }

    private static List<String> block(Stream<String> lines) {
        List<String> block = new ArrayList<>(List.of("```text"));
        lines.forEach(block::add);
        block.add("```");
        return block;
    }

    private static List<String> words(String text) {
        List<String> rows = new ArrayList<>();
        Matcher word = WORD.matcher(text);
        while (word.find()) {
            rows.add("| `" + word.group(1) + "` | " + word.group(2) + " |");
        }
        return rows;
    }
}

package io.remora.vmflags;

import io.remora.log.Log;
import io.remora.process.VmArguments;
import java.io.File;
import java.io.FileReader;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The user's own JVM flags in {@value #OWN} and {@value #JDK}, checked once at the start. A line of the log names each
 * flag that does nothing, is deprecated or is the default.
 *
 * <p>Cost: loaded only if one of the variables is set; it reads a file of 30 kB and keeps nothing. A failure is a line
 * of the log, and never ends the start.
 */
public final class UserFlags {
    /** Variable whose flags come last. */
    public static final String OWN = "REMORA_JAVA_OPTS";
    /** Variable that java itself reads, whose flags come first. */
    public static final String JDK = "JDK_JAVA_OPTIONS";
    /** Rows of the table, which the launcher of hosts prepares; an image has them as a file. */
    private static final String ROWS = "REMORA_VM_FLAGS";
    /** The table in a runtime image, next to the JVM. */
    private static final String FILE = "/../jvm-profiles/vm-flags.table";

    private UserFlags() {}

    /** Logs what is wrong with the flags in the environment. */
    public static void check() {
        try {
            List<String> arguments = VmArguments.read();
            List<String> own = words(System.getenv(OWN));
            List<String> jdk = words(System.getenv(JDK));
            FlagCheck check = new FlagCheck(arguments, table(names(own, jdk)));
            log(JDK, check.judge(jdk, true));
            log(OWN, check.judge(own, false));
        } catch (IOException | RuntimeException | LinkageError e) {
            Log.warn("java options: check failed, " + e + "; starting without it");
        }
    }

    private static void log(String variable, List<FlagCheck.Finding> findings) {
        for (FlagCheck.Finding finding : findings) {
            Log.warn("java options: " + finding.flag() + " in " + variable + ' ' + finding.reason());
        }
    }

    private static Set<String> names(List<String> own, List<String> jdk) {
        Set<String> names = new HashSet<>();
        names.add(FlagCheck.C2_WITNESS);
        for (List<String> words : List.of(own, jdk)) {
            for (String word : words) {
                VmFlag flag = VmFlag.of(word);
                if (flag != null) {
                    names.add(flag.name());
                }
            }
        }
        return names;
    }

    private static @Nullable FlagTable table(Set<String> names) throws IOException {
        String rows = System.getenv(ROWS);
        File file = new File(System.getProperty("java.home", "") + FILE);
        // empty where the launcher's JVM printed nothing
        if (rows == null ? !file.canRead() : rows.isBlank()) {
            return null;
        }
        try (Reader text = rows == null ? new FileReader(file, StandardCharsets.US_ASCII) : new StringReader(rows)) {
            return FlagTable.read(text, names);
        }
    }

    /** Returns the words of a variable, without quotation marks. Source: {@code JLI_AddArgsFromEnvVar} of the JDK's launcher. */
    static List<String> words(@Nullable String text) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        char quote = 0;
        for (int i = 0; text != null && i < text.length(); i++) {
            char c = text.charAt(i);
            if (quote == 0 && c <= ' ') {
                add(words, word);
            } else if (quote == 0 ? c == '"' || c == '\'' : c == quote) {
                quote = quote == 0 ? c : 0;
            } else {
                word.append(c);
            }
        }
        add(words, word);
        return words;
    }

    private static void add(List<String> words, StringBuilder word) {
        if (word.length() > 0) {
            words.add(word.toString());
            word.setLength(0);
        }
    }
}

package io.remora.flame;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The command {@code remora flame}: it converts a profile of collapsed stacks to another format, or compares two.
 *
 * <p>Bounds: a million nodes, 32 MB.
 */
public final class FlameCommand {
    private static final int MAX_NODES = 1_000_000;

    private final String file;
    private final @Nullable String before;
    private final @Nullable String out;
    private final Measure measure;

    private FlameCommand(String file, @Nullable String before, @Nullable String out, Measure measure) {
        this.file = file;
        this.before = before;
        this.out = out;
        this.measure = measure;
    }

    /** Returns the command of a command line, whose first word is {@code flame}; null if it is none. */
    public static @Nullable FlameCommand of(String[] arguments) {
        String file = null;
        String before = null;
        String out = null;
        @Nullable Measure measure = Measure.SAMPLES;
        for (int i = 1; i < arguments.length; i++) {
            String word = arguments[i];
            boolean hasValue = word.equals("--diff") || word.equals("--out") || word.equals("--unit");
            if (hasValue && ++i == arguments.length) {
                return null;
            }
            if (word.equals("--diff")) {
                before = arguments[i];
            } else if (word.equals("--out")) {
                out = arguments[i];
            } else if (word.equals("--unit")) {
                measure = Measure.ofUnit(arguments[i]);
            } else if (file == null && (word.equals("-") || !word.startsWith("-"))) {
                file = word;
            } else {
                return null;
            }
        }
        return file == null || measure == null || (out != null && !isFormat(out, measure))
                ? null
                : new FlameCommand(file, before, out, measure);
    }

    private static boolean isFormat(String out, Measure measure) {
        FlameFormat format = FlameFormat.ofFile(out);
        return format != null && format.holds(measure);
    }

    /**
     * Writes the file that {@code --out} names, and the list of the frames with most samples, or with most growth, to
     * {@code print}.
     *
     * @throws IOException if a file cannot be read or written, or is no profile
     */
    public void run(InputStream in, PrintStream print) throws IOException {
        CallTree tree = new CallTree(MAX_NODES);
        read(file, in, tree, CallTree.NOW);
        if (before != null) {
            read(before, in, tree, CallTree.BEFORE);
        }
        String title = before == null ? file : file + " compared with " + before;
        String note = measure.text(tree.total(CallTree.NOW))
                + (before == null ? "" : ", " + measure.text(tree.total(CallTree.BEFORE)) + " before");
        FlameFormat format = out == null ? null : FlameFormat.ofFile(out);
        if (out != null && format != null) {
            try (OutputStream to = Files.newOutputStream(Path.of(out))) {
                format.write(tree, new FlameHead(title, note, measure, 0, 0, 0), to);
            }
        }
        if (out == null || before != null) {
            Writer text = new BufferedWriter(new OutputStreamWriter(print, StandardCharsets.UTF_8));
            TopList.write(tree, measure, text);
            text.flush();
        }
    }

    private static void read(String file, InputStream in, CallTree tree, int column) throws IOException {
        if (file.equals("-")) {
            Collapsed.read(
                    new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)), "<stdin>", tree, column);
            return;
        }
        try (BufferedReader from = Files.newBufferedReader(Path.of(file), StandardCharsets.UTF_8)) {
            Collapsed.read(from, file, tree, column);
        }
        if (tree.total(column) == 0) {
            throw new IOException(file + ": no samples");
        }
    }
}

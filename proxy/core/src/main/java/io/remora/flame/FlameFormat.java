package io.remora.flame;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The formats of a profile. */
public enum FlameFormat {
    /** A line per stack. */
    COLLAPSED("collapsed", "text/plain; charset=utf-8", ".collapsed", ".txt"),
    /** A page with a flame graph. */
    HTML("html", "text/html; charset=utf-8", ".html", ".htm"),
    /** An image with a flame graph. */
    SVG("svg", "image/svg+xml", ".svg", ".svg"),
    /** A gzipped protobuf message. */
    PPROF("pprof", "application/octet-stream", ".pb.gz", ".pprof"),
    /** A file of JFR. */
    JFR("jfr", "application/octet-stream", ".jfr", ".jfr"),
    /** A list of the frames with most samples. */
    TOP("top", "text/plain; charset=utf-8", ".top", ".list");

    private final String word;
    private final String contentType;
    private final String ending;
    private final String otherEnding;

    FlameFormat(String word, String contentType, String ending, String otherEnding) {
        this.word = word;
        this.contentType = contentType;
        this.ending = ending;
        this.otherEnding = otherEnding;
    }

    public String word() {
        return word;
    }

    public String contentType() {
        return contentType;
    }

    /** Returns the format with this name; null if there is none. */
    public static @Nullable FlameFormat named(String word) {
        for (FlameFormat one : values()) {
            if (one.word.equals(word)) {
                return one;
            }
        }
        return null;
    }

    /** Returns the format that a file's name ends with; null if it ends with none. */
    public static @Nullable FlameFormat ofFile(String name) {
        for (FlameFormat one : values()) {
            if (name.endsWith(one.ending) || name.endsWith(one.otherEnding)) {
                return one;
            }
        }
        return null;
    }

    /** Returns the names, as the end of a sentence. */
    public static String words() {
        StringBuilder words = new StringBuilder();
        for (FlameFormat one : values()) {
            words.append(words.length() == 0 ? "" : one == TOP ? " or " : ", ").append(one.word);
        }
        return words.toString();
    }

    /** Returns whether the format has a form for this quantity: an event of JFR is one wait, and a profile has their sums. */
    public boolean holds(Measure measure) {
        return this != JFR || measure != Measure.WAITED;
    }

    /** Writes a profile, and leaves the stream open. */
    public void write(CallTree tree, FlameHead head, OutputStream out) throws IOException {
        if (this == PPROF) {
            Pprof.write(tree, head, out);
            return;
        }
        if (this == JFR) {
            JfrProfile.write(tree, head, out);
            return;
        }
        Writer text = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
        switch (this) {
            case HTML -> FlameHtml.write(tree, head, text);
            case SVG -> FlameSvg.write(tree, head, text);
            case TOP -> {
                TopList.write(tree, head.measure(), text);
                text.append('\n').append(head.note()).append('\n');
            }
            default -> Collapsed.write(tree, text);
        }
        text.flush();
    }
}

package io.remora.config.model;

import java.util.ArrayList;
import java.util.List;

/**
 * A text that the reader cannot judge, such as the name of a class, with its place in the configuration. Two are the
 * same if their texts are. Immutable.
 */
public final class PlacedText {
    private final String text;
    private final int line;
    private final int column;

    public PlacedText(String text, int line, int column) {
        this.text = text;
        this.line = line;
        this.column = column;
    }

    public String text() {
        return text;
    }

    /** Returns the texts as they stand in the file. */
    public static List<String> texts(List<PlacedText> placed) {
        List<String> texts = new ArrayList<>(placed.size());
        for (PlacedText one : placed) {
            texts.add(one.text);
        }
        return List.copyOf(texts);
    }

    /**
     * Returns a problem with the text at its place.
     *
     * @param configuration the configuration's name, as the reader knows it
     */
    public Problem problem(String configuration, String message) {
        return new Problem(configuration, line, column, message);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PlacedText placed && placed.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}

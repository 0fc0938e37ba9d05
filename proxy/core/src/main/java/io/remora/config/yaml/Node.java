package io.remora.config.yaml;

import io.remora.config.keys.Units;
import io.remora.config.model.PlacedText;
import java.util.List;

/** One value of the file and where it begins: text, a list, a mapping, or something already reported. Immutable. */
public final class Node {
    /** A sum of four; one class for all, because each class is memory. */
    public enum Kind {
        TEXT("text"),
        LIST("a list"),
        MAPPING("a mapping"),
        BROKEN("broken");

        final String words;

        Kind(String words) {
            this.words = words;
        }
    }

    public final Kind kind;
    public final int line;
    public final int column;
    /** The text of a TEXT, environment variables replaced; empty otherwise. */
    public final String text;
    /** The items of a LIST; a key, its value, the next key and so on of a MAPPING; empty otherwise. */
    public final List<Node> children;

    private Node(Kind kind, int line, int column, String text, List<Node> children) {
        this.kind = kind;
        this.line = line;
        this.column = column;
        this.text = text;
        this.children = children;
    }

    public static Node text(int line, int column, String text) {
        return new Node(Kind.TEXT, line, column, text, List.of());
    }

    public static Node parent(Kind kind, int line, int column, List<Node> children) {
        return new Node(kind, line, column, "", children);
    }

    /** Stands for a value that has been reported; nothing further is said about it. */
    public static Node broken(int line, int column) {
        return new Node(Kind.BROKEN, line, column, "", List.of());
    }

    public boolean isBroken() {
        return kind == Kind.BROKEN;
    }

    public boolean isText(String wanted) {
        return kind == Kind.TEXT && text.equals(wanted);
    }

    /** Returns the value's name in a message. */
    public String quoted() {
        return kind != Kind.TEXT ? kind.words : text.isEmpty() ? "empty" : Problems.quote(text);
    }

    /** Returns the text and its place, for a later judgement. */
    public PlacedText placed() {
        return new PlacedText(text, line, column);
    }

    /** Returns the value of a text, in nanoseconds, bytes or ones; the fallback where that is a problem. */
    public long number(Units units, String key, long fallback, long min, long max, Problems problems) {
        long value = units.read(text);
        if (value < min || value > max) {
            problems.at(this, key + " is " + quoted() + units.expected(text, min, max));
            return fallback;
        }
        return value;
    }
}

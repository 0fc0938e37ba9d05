package io.remora.json;

/**
 * A scalar in the words of its source, neither text nor a whole number: a number with a fraction, or a word that some
 * YAML readers take for a number or a switch. Immutable.
 */
public record Verbatim(String text) {
    @Override
    public String toString() {
        return text;
    }
}

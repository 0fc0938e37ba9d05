package io.remora.flame;

/** The kind of code that a frame belongs to. It selects the colour of the frame and its suffix in collapsed stacks. */
public enum FrameKind {
    /** The thread at the root of a stack. */
    THREAD('t', ""),
    /** A method of Java, interpreted or compiled. */
    JAVA('j', "_[j]"),
    /** A function of the virtual machine. */
    VM('v', "_[v]"),
    /** A function of another library or of the program. */
    NATIVE('c', ""),
    /** The kernel. */
    KERNEL('k', "_[k]"),
    /** The class of an object that was allocated, or whose monitor a thread has waited for. */
    TYPE('y', "_[y]");

    private static final int SUFFIX_CHARS = 4;
    /** Suffixes that other profilers give to methods: inlined, interpreted, compiled by C1. */
    private static final String OTHER_JAVA = "i01";

    final char letter;
    final String suffix;

    FrameKind(char letter, String suffix) {
        this.letter = letter;
        this.suffix = suffix;
    }

    /** Returns the kind of a frame in a collapsed stack, by its suffix or, without one, by the form of its name. */
    static FrameKind of(String text, boolean root) {
        if (hasSuffix(text)) {
            char letter = text.charAt(text.length() - 2);
            for (FrameKind kind : values()) {
                if (kind.letter == letter && !kind.suffix.isEmpty()) {
                    return kind;
                }
            }
            return JAVA;
        }
        if (root && text.startsWith("[") && text.endsWith("]")) {
            return THREAD;
        }
        if (text.contains("::")) {
            return VM;
        }
        boolean path = text.indexOf('/') >= 0 || text.indexOf('.') > 0;
        // a library's file, or a part of a function that gcc has split
        boolean clone = text.contains(".so") || text.contains(".part.") || text.contains(".isra.");
        return path && !clone && !text.contains(".constprop.") ? JAVA : NATIVE;
    }

    /** Returns a frame's text without its suffix. */
    static String name(String text) {
        return hasSuffix(text) ? text.substring(0, text.length() - SUFFIX_CHARS) : text;
    }

    private static boolean hasSuffix(String text) {
        int at = text.length() - SUFFIX_CHARS;
        if (at <= 0 || !text.startsWith("_[", at) || text.charAt(at + 3) != ']') {
            return false;
        }
        char letter = text.charAt(at + 2);
        return letter == KERNEL.letter
                || letter == VM.letter
                || letter == JAVA.letter
                || letter == TYPE.letter
                || OTHER_JAVA.indexOf(letter) >= 0;
    }
}

package io.remora.flame;

/**
 * A frame of a stack.
 *
 * @param name of the method, function or thread, without control characters and semicolons
 */
public record Frame(String name, FrameKind kind) {
    private static final int MAX_CHARS = 512;

    /** Returns a frame whose name has at most 512 characters, and none that separates frames or lines. */
    public static Frame of(String name, FrameKind kind) {
        int length = Math.min(name.length(), MAX_CHARS);
        StringBuilder clean = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            char c = name.charAt(i);
            clean.append(c == ';' ? ',' : c < ' ' || c == 0x7f || Character.isSurrogate(c) ? '?' : c);
        }
        return new Frame(clean.isEmpty() ? "?" : clean.toString(), kind);
    }
}

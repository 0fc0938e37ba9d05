package io.remora.config.yaml;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.remora.config.model.ConfigException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** The bytes of a configuration file, judged as text. Bounds: 1 MiB, UTF-8. */
public final class SourceText {
    /** The largest size of a file. Hundreds of listeners fit; a larger one is the wrong file. */
    static final int MAX_BYTES = 1 << 20;

    private SourceText() {}

    public static String read(InputStream in, Problems problems) throws ConfigException {
        byte[] bytes;
        try {
            bytes = in.readNBytes(MAX_BYTES + 1);
        } catch (IOException e) {
            throw unreadable(e, problems);
        }
        if (bytes.length > MAX_BYTES) {
            throw problems.fatal(1, 1, "the file is too large, expected at most 1MiB");
        }
        String text = new String(bytes, UTF_8);
        requireUtf8(bytes, text, problems);
        requirePrintable(text, problems);
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    public static ConfigException unreadable(IOException e, Problems problems) {
        return problems.fatal(1, 1, "cannot be read (" + e.getMessage() + "), expected a readable file");
    }

    /**
     * Refuses octets that are no UTF-8. Decoding replaces malformed ones, so a faithful text encodes to the same bytes
     * again.
     */
    private static void requireUtf8(byte[] bytes, String text, Problems problems) throws ConfigException {
        if (text.indexOf('\uFFFD') < 0) {
            return;
        }
        int index = Arrays.mismatch(bytes, text.getBytes(UTF_8));
        if (index >= 0) {
            throw atIndex(
                    new String(bytes, 0, index, UTF_8), problems, "bytes that are not UTF-8, expected UTF-8 text");
        }
    }

    /** Refused here because the parser names no line for it. */
    private static void requirePrintable(String text, Problems problems) throws ConfigException {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean control = Character.isISOControl(c) && c != '\t' && c != '\n' && c != '\r' && c != '\u0085';
            if (control || c > '\uFFFD') {
                throw atIndex(text.substring(0, i), problems, "a control character, expected text");
            }
        }
    }

    /** A problem at the character behind {@code before}. */
    private static ConfigException atIndex(String before, Problems problems, String message) {
        int line = 1;
        int lineStart = 0;
        for (int i = 0; i < before.length(); i++) {
            char c = before.charAt(i);
            boolean endOfLine = c == '\n' || (c == '\r' && !before.startsWith("\n", i + 1));
            if (endOfLine) {
                line++;
                lineStart = i + 1;
            }
        }
        return problems.fatal(line, before.codePointCount(lineStart, before.length()) + 1, message);
    }
}

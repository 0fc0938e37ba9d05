package io.remora.process;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Reads the small text files of {@code /proc}. Pure functions; where a file or a field is missing, say so without an
 * exception.
 */
public final class ProcFile {
    /** Value instead of a number that is not there. */
    public static final long UNKNOWN = -1;

    private static final int MAX_BYTES = 16 * 1024;

    private ProcFile() {}

    /** Empty where there is no such file. */
    public static String read(String path) {
        byte[] bytes = new byte[MAX_BYTES];
        int length = 0;
        try (FileInputStream in = new FileInputStream(path)) {
            int count;
            while (length < MAX_BYTES && (count = in.read(bytes, length, MAX_BYTES - length)) > 0) {
                length += count;
            }
        } catch (IOException e) {
            return "";
        }
        return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
    }

    /** The number after {@code key} at the start of a line, in bytes where it is one of kB. */
    public static long field(String text, String key) {
        int at = text.startsWith(key) ? 0 : text.indexOf('\n' + key) + 1;
        if (!text.startsWith(key, at)) {
            return UNKNOWN;
        }
        at += key.length();
        while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
            at++;
        }
        long number = number(text, at);
        int lineEnd = text.indexOf('\n', at);
        boolean kilobytes = number >= 0
                && text.substring(at, lineEnd < 0 ? text.length() : lineEnd).endsWith(" kB");
        return kilobytes ? number * 1_024 : number;
    }

    /** Returns the word with this index, counted from 0, in the text after {@code from}; empty where there is none. */
    public static String word(String text, int from, int index) {
        int at = from;
        for (int word = 0; ; word++) {
            while (at < text.length() && text.charAt(at) <= ' ') {
                at++;
            }
            int start = at;
            while (at < text.length() && text.charAt(at) > ' ') {
                at++;
            }
            if (word == index || start == at) {
                return text.substring(start, at);
            }
        }
    }

    /** The decimal number that starts at {@code at}. */
    public static long number(String text, int at) {
        long number = 0;
        int digit = at;
        while (digit < text.length() && text.charAt(digit) >= '0' && text.charAt(digit) <= '9') {
            number = number * 10 + (text.charAt(digit) - '0');
            digit++;
        }
        return digit == at ? UNKNOWN : number;
    }
}

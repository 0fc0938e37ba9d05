package io.remora.compilelog;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The options of {@code remora compile-log}.
 *
 * @param files the log of the VM, and those of compile threads; {@code -} is standard input
 * @param html the file of the page, null for none
 * @param latency the file of the latency log, null for none
 * @param tag of the latency log's lines, null for those of all listeners
 * @param top the rows of a table
 */
record CompileLogOptions(
        List<String> files,
        boolean isJson,
        @Nullable String html,
        @Nullable String latency,
        @Nullable String tag,
        Window window,
        int top) {
    private static final String JSON = "--json";
    private static final String HTML = "--html";
    private static final String LATENCY = "--latency";
    private static final String TAG = "--tag";
    private static final String FROM = "--from";
    private static final String TO = "--to";
    private static final String TOP = "--top";
    private static final List<String> WITH_VALUE = List.of(HTML, LATENCY, TAG, FROM, TO, TOP);
    private static final int DEFAULT_TOP = 20;
    private static final int MAX_TOP = 10_000;
    private static final long MS = 1_000;
    private static final int MAX_DIGITS = 9;

    /** Returns the options of a command line, whose first word is the command; null if it has others. */
    static @Nullable CompileLogOptions of(String[] arguments) {
        List<String> files = new ArrayList<>();
        Map<String, String> values = new HashMap<>();
        boolean isJson = false;
        for (int i = 1; i < arguments.length; i++) {
            String word = arguments[i];
            if (WITH_VALUE.contains(word)) {
                if (++i == arguments.length || values.put(word, arguments[i]) != null) {
                    return null;
                }
            } else if (word.equals(JSON)) {
                isJson = true;
            } else if (word.equals("-") || !word.startsWith("-")) {
                files.add(word);
            } else {
                return null;
            }
        }
        return of(files, isJson, values);
    }

    private static @Nullable CompileLogOptions of(List<String> files, boolean isJson, Map<String, String> values) {
        long from = number(values.getOrDefault(FROM, "0"));
        // a second that no log reaches
        long to = number(values.getOrDefault(TO, "999999999"));
        long top = number(values.getOrDefault(TOP, Integer.toString(DEFAULT_TOP)));
        if (files.isEmpty() || from < 0 || to <= from || top < 1 || top > MAX_TOP) {
            return null;
        }
        Window window = new Window(from * MS, values.containsKey(TO) ? to * MS : Long.MAX_VALUE);
        return new CompileLogOptions(
                files, isJson, values.get(HTML), values.get(LATENCY), values.get(TAG), window, (int) top);
    }

    /** Returns a whole number, -1 if the text is none. */
    private static long number(String text) {
        if (text.isEmpty() || text.length() > MAX_DIGITS) {
            return -1;
        }
        long number = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') {
                return -1;
            }
            number = number * 10 + c - '0';
        }
        return number;
    }
}

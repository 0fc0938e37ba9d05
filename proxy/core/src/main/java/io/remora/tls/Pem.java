package io.remora.tls;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * A block of a PEM file (RFC 7468): its label, the octets that it wraps, and whether somebody had a use for it.
 *
 * <p>Owner: the thread that reads.
 */
final class Pem {
    /** Largest file; a system's bundle is a fifth of it. */
    static final int MAX_FILE_BYTES = 1 << 20;

    private static final String BEGIN = "-----BEGIN ";
    private static final String END = "-----END ";
    private static final String DASHES = "-----";
    private static final int MAX_LABEL_CHARS = 64;

    /** UTF-8's byte order mark, octet by octet; files that were joined have some in the middle. */
    private static final String MARK = "\u00ef\u00bb\u00bf";

    private final String label;
    private final byte[] der;
    private final int line;
    private boolean used;

    private Pem(String label, byte[] der, int line) {
        this.label = label;
        this.der = der;
        this.line = line;
    }

    String label() {
        return label;
    }

    /** Returns the content in DER, which the caller must not change. */
    byte[] der() {
        return der;
    }

    /** Returns the number of its first line, from 1. */
    int line() {
        return line;
    }

    /** Its reader has a use for it. */
    void use() {
        used = true;
    }

    /**
     * The blocks of a file. Between them may stand text for people. Its lines do not look like the first or last one of
     * a block, unless they begin with {@code #}.
     *
     * @throws MaterialException where a block is damaged, or has no begin or no end: none is left out
     */
    static List<Pem> read(String path) throws IOException {
        return blocks(readText(path));
    }

    /** The blocks of a file's text; see {@link #read}. */
    static List<Pem> blocks(String text) throws IOException {
        List<Pem> blocks = new ArrayList<>();
        int line = 1;
        for (int at = 0; at < text.length(); ) {
            int endOfLine = endOfLine(text, at);
            int begin = skipBlanks(text, at, endOfLine);
            int next = endOfLine + 1;
            if (!isForPeople(text.substring(begin, endOfLine))) {
                String label = label(text, begin, endOfLine, line);
                int body = begin + BEGIN.length() + label.length() + DASHES.length();
                String end = END + label + DASHES;
                int close = text.indexOf(end, body);
                if (close < 0) {
                    throw new MaterialException("line " + line + ": " + label + " has no end");
                }
                blocks.add(new Pem(label, decode(text.substring(body, close), label, line), line));
                // the next one may begin on the same line
                next = close + end.length();
            }
            line += lines(text, at, Math.min(next, text.length()));
            at = next;
        }
        return blocks;
    }

    private static boolean isForPeople(String line) {
        return line.startsWith("#") || !line.contains("-BEGIN ") && !line.contains("-END ");
    }

    /** The label of the block that begins there. Messages do not quote the line, as it may hold a key. */
    private static String label(String text, int begin, int endOfLine, int line) throws MaterialException {
        boolean begins = text.startsWith(BEGIN, begin);
        int from = begin + (begins ? BEGIN : END).length();
        int to = text.indexOf(DASHES, from);
        boolean isWhole = (begins || text.startsWith(END, begin))
                && to > from
                && to - from <= MAX_LABEL_CHARS
                && to + DASHES.length() <= endOfLine
                && !text.startsWith("-", to + DASHES.length());
        if (!isWhole) {
            throw new MaterialException(
                    "line " + line + ": damaged, expected " + BEGIN + "LABEL" + DASHES + " with nothing before it");
        }
        String label = text.substring(from, to);
        if (!begins) {
            throw new MaterialException(
                    "line " + line + ": " + END + label + DASHES + " without its " + BEGIN + label + DASHES);
        }
        return label;
    }

    private static int skipBlanks(String text, int from, int to) {
        int at = from;
        while (at < to && (text.charAt(at) <= ' ' || text.startsWith(MARK, at))) {
            at += text.charAt(at) <= ' ' ? 1 : MARK.length();
        }
        return Math.min(at, to);
    }

    /** Returns the labels that a file has instead of the expected one, as the end of a message; empty for nothing. */
    static String labels(List<Pem> blocks) {
        StringBuilder labels = new StringBuilder();
        for (Pem block : blocks) {
            if (labels.indexOf(block.label) < 0) {
                labels.append(labels.isEmpty() ? ", but of " : ", ").append(block.label);
            }
        }
        return labels.toString();
    }

    /** The blocks that nobody has used, by label and line; empty for none. */
    static String unused(Iterable<Pem> blocks) {
        StringBuilder unused = new StringBuilder();
        for (Pem block : blocks) {
            if (!block.used) {
                unused.append(unused.isEmpty() ? "" : ", ")
                        .append(block.label)
                        .append(" on line ")
                        .append(block.line);
            }
        }
        return unused.toString();
    }

    /** A file of up to 1 MiB, an octet a character, without a byte order mark. */
    static String readText(String path) throws IOException {
        try (InputStream file = new FileInputStream(path)) {
            byte[] octets = file.readNBytes(MAX_FILE_BYTES + 1);
            if (octets.length > MAX_FILE_BYTES) {
                throw new MaterialException("larger than 1MiB");
            }
            String text = new String(octets, ISO_8859_1);
            if (text.startsWith("\u00fe\u00ff") || text.startsWith("\u00ff\u00fe")) {
                throw new MaterialException("is text in UTF-16, expected ASCII");
            }
            return text.startsWith(MARK) ? text.substring(MARK.length()) : text;
        }
    }

    static int endOfLine(String text, int from) {
        int end = from;
        while (end < text.length() && text.charAt(end) != '\n' && text.charAt(end) != '\r') {
            end++;
        }
        return end;
    }

    private static int lines(String text, int from, int to) {
        int lines = 0;
        for (int i = from; i < to; i++) {
            boolean ends = text.charAt(i) == '\n' || text.charAt(i) == '\r' && !text.startsWith("\n", i + 1);
            lines += ends ? 1 : 0;
        }
        return lines;
    }

    private static byte[] decode(String body, String label, int line) throws MaterialException {
        if (body.indexOf(':') >= 0) {
            String why =
                    " has header lines of the old OpenSSL encryption format;" + " convert it with openssl pkcs8 -topk8";
            throw new MaterialException("line " + line + ": " + label + why);
        }
        StringBuilder base64 = new StringBuilder(body.length());
        for (int i = 0; i < body.length(); i++) {
            char c = body.charAt(i);
            if (c > ' ') {
                base64.append(c);
            }
        }
        try {
            return Base64.getDecoder().decode(base64.toString().getBytes(ISO_8859_1));
        } catch (IllegalArgumentException e) {
            throw new MaterialException("line " + line + ": " + label + " is not base64: " + e.getMessage());
        }
    }
}

package io.remora.tls;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** A block of a PEM file (RFC 7468): its label, and the octets that it wraps. Immutable. */
final class Pem {
    /** The bundle of a system is a fifth of it. */
    static final int MAX_FILE_BYTES = 1 << 20;

    private static final String BEGIN = "-----BEGIN ";
    private static final String END = "-----END ";
    private static final String DASHES = "-----";

    private final String label;
    private final byte[] der;
    private final int line;

    private Pem(String label, byte[] der, int line) {
        this.label = label;
        this.der = der;
        this.line = line;
    }

    String label() {
        return label;
    }

    /** Nobody writes to it. */
    byte[] der() {
        return der;
    }

    /** Of its first line, from 1. */
    int line() {
        return line;
    }

    /** The blocks of a file; what stands between them is for people. */
    static List<Pem> read(String path) throws IOException {
        byte[] octets = readFile(path);
        List<Pem> blocks = new ArrayList<>();
        String text = new String(octets, ISO_8859_1);
        int line = 1;
        int at = 0;
        while (at < text.length()) {
            int next = endOfLine(text, at);
            String begin = text.substring(at, next).strip();
            if (begin.startsWith(BEGIN) && begin.endsWith(DASHES)) {
                String label = begin.substring(BEGIN.length(), begin.length() - DASHES.length());
                String end = END + label + DASHES;
                int close = text.indexOf(end, next);
                if (close < 0) {
                    throw new MaterialException("line " + line + ": " + label + " has no end");
                }
                blocks.add(new Pem(label, decode(text.substring(next, close), label, line), line));
                line += lines(text, at, close);
                at = close;
                next = endOfLine(text, at);
            }
            at = next + 1;
            line++;
        }
        return blocks;
    }

    /** What a file has in the place of what was wanted, as the end of a message; empty for nothing. */
    static String labels(List<Pem> blocks) {
        StringBuilder labels = new StringBuilder();
        for (Pem block : blocks) {
            if (labels.indexOf(block.label) < 0) {
                labels.append(labels.isEmpty() ? ", but of " : ", ").append(block.label);
            }
        }
        return labels.toString();
    }

    static byte[] readFile(String path) throws IOException {
        try (InputStream file = new FileInputStream(path)) {
            byte[] octets = file.readNBytes(MAX_FILE_BYTES + 1);
            if (octets.length > MAX_FILE_BYTES) {
                throw new MaterialException("larger than 1MiB");
            }
            return octets;
        }
    }

    private static int endOfLine(String text, int from) {
        int end = text.indexOf('\n', from);
        return end < 0 ? text.length() : end;
    }

    private static int lines(String text, int from, int to) {
        int lines = 0;
        for (int i = from; i < to; i++) {
            lines += text.charAt(i) == '\n' ? 1 : 0;
        }
        return lines;
    }

    private static byte[] decode(String body, String label, int line) throws MaterialException {
        if (body.indexOf(':') >= 0) {
            String why = " has header lines, as keys had that OpenSSL encrypted in its old format;"
                    + " convert it by openssl pkcs8 -topk8";
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

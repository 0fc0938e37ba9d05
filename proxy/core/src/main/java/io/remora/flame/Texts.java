package io.remora.flame;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;

/** Characters in the formats that are written, and the parts of pages that the jar contains. Pure functions. */
final class Texts {
    private static final String HEX = "0123456789abcdef";
    private static final int BITS = 4;

    private Texts() {}

    /** Writes a string literal that is one in a script as well, within an element of a page. */
    static void json(CharSequence text, Writer out) throws IOException {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean plain = c >= ' ' && c < 0x7f && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&';
            if (plain) {
                out.append(c);
            } else {
                out.append("\\u");
                for (int shift = 3 * BITS; shift >= 0; shift -= BITS) {
                    out.append(HEX.charAt((c >> shift) & 0xf));
                }
            }
        }
        out.append('"');
    }

    /** Writes text or an attribute's value in XML 1.0; a character that it does not have becomes a question mark. */
    static void xml(CharSequence text, Writer out) throws IOException {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '&' -> out.append("&amp;");
                case '"' -> out.append("&quot;");
                case '\'' -> out.append("&#39;");
                default -> out.append(c < ' ' || Character.isSurrogate(c) || c >= 0xfffe ? '?' : c);
            }
        }
    }

    /** Opens a file of this package. */
    static BufferedReader open(String name) throws IOException {
        InputStream in = Texts.class.getResourceAsStream(name);
        if (in == null) {
            throw new IOException("the jar has no " + name);
        }
        return new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    }
}

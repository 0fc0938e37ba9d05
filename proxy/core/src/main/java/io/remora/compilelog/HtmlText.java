package io.remora.compilelog;

/** Text in HTML and SVG. Names come from the log of any program, so that all of them pass here. */
final class HtmlText {
    private HtmlText() {}

    /** Appends a text as content or as the value of an attribute in quotes. */
    static void append(String text, StringBuilder out) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '&' -> out.append("&amp;");
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '"' -> out.append("&quot;");
                case '\'' -> out.append("&#39;");
                default -> out.append(Character.isISOControl(c) ? '\ufffd' : c);
            }
        }
    }
}

package io.remora.loadtest.charts;

import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes the SVG of a chart fit to stand inside a page: without a prolog, the same for the same chart, with names of its
 * own, and a tenth of the size.
 *
 * <p>XChart names its clips by chance, draws each piece of a curve by itself, and writes every digit there is; the XML
 * writer that Gatling brings along takes the elements out of SVG's name space.
 */
final class SvgText {
    private static final Pattern CLIP = Pattern.compile("\\bclip(\\d+)\\b");
    private static final Pattern NUMBER = Pattern.compile("-?\\d+\\.\\d{2,}");
    private static final Pattern LINE =
            Pattern.compile("<line style=\"([^\"]*)\"\\s+x1=\"([^\"]*)\"\\s+x2=\"([^\"]*)\"\\s+"
                    + "y1=\"([^\"]*)\"\\s+y2=\"([^\"]*)\"\\s*/>\\s*");

    private SvgText() {}

    /** The names inside begin with the prefix, so that several charts may stand in one page. */
    static String tidy(String svg, String prefix) {
        String text = svg.substring(svg.indexOf("<svg")).replace(" xmlns=\"\"", "");
        text = CLIP.matcher(text).replaceAll(found -> prefix + clipNumber(svg, found));
        text = NUMBER.matcher(text).replaceAll(found -> rounded(found.group()));
        return joined(text).replaceAll(">\\s+<", ">\n<").replaceAll("\\s*\n\\s+", " ");
    }

    /** The how-manieth clip of the text it is. */
    private static long clipNumber(String svg, MatchResult wanted) {
        return CLIP.matcher(svg)
                .results()
                .map(MatchResult::group)
                .distinct()
                .takeWhile(name -> !name.equals(wanted.group()))
                .count();
    }

    private static String rounded(String number) {
        String text = String.format(Locale.ROOT, "%.1f", Double.parseDouble(number));
        return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
    }

    /** Lines that begin where the one before them ended, in the same style, become one. */
    private static String joined(String text) {
        StringBuilder out = new StringBuilder();
        Matcher line = LINE.matcher(text);
        int copied = 0;
        String style = "";
        String end = "";
        while (line.find()) {
            String begin = line.group(2) + "," + line.group(4);
            boolean goesOn = line.start() == copied && line.group(1).equals(style) && begin.equals(end);
            if (!goesOn) {
                out.append(end.isEmpty() ? "" : "\"/>\n").append(text, copied, line.start());
                out.append("<polyline style=\"")
                        .append(line.group(1))
                        .append("\" points=\"")
                        .append(begin);
            }
            style = line.group(1);
            end = line.group(3) + "," + line.group(5);
            out.append(' ').append(end);
            copied = line.end();
        }
        return out.append(end.isEmpty() ? "" : "\"/>\n")
                .append(text, copied, text.length())
                .toString();
    }
}

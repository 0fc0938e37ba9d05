package io.remora.compilelog;

import java.util.List;

/**
 * The report as one HTML page with a time line. It has no script and loads nothing, which its Content-Security-Policy
 * enforces.
 */
final class HtmlReport {
    private static final String HEAD = """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Compilation log</title>
        <style>
        :root { color-scheme: light dark; --text: #1d2a2e; --page: #fff; --line: #d5dde0; --muted: #5b6b70;
          --storm: #f6c34455; --a: #7db7d8; --b: #3b7ea8; --c: #2f9e83; --d: #b4472e; --e: #8a5fb0; }
        @media (prefers-color-scheme: dark) { :root { --text: #dbe5e8; --page: #14191b; --line: #333d41;
          --muted: #93a3a8; --storm: #b8860b55; --a: #9cc9e4; --b: #5a9fca; --c: #4cc3a5; --d: #e07a5f; --e: #b48ed8; } }
        body { font: 14px/1.45 system-ui, sans-serif; color: var(--text); background: var(--page); margin: 1.5rem; }
        h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .3rem; }
        p { color: var(--muted); margin: .2rem 0 .6rem; overflow-wrap: anywhere; }
        .wide { overflow-x: auto; }
        table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
        th, td { padding: .15rem .6rem; text-align: left; border-bottom: 1px solid var(--line); vertical-align: top; }
        .n { text-align: right; white-space: nowrap; }
        td:last-child { overflow-wrap: anywhere; min-width: 22rem; }
        svg { width: 100%; min-width: 40rem; height: auto; }
        svg text { font: 11px system-ui, sans-serif; fill: var(--muted); }
        svg .name { fill: var(--text); font-weight: 600; }
        .axis { stroke: var(--line); } .storm { fill: var(--storm); }
        .a { fill: var(--a); } .b { fill: var(--b); } .c { fill: var(--c); }
        .d { fill: var(--d); } .e { fill: var(--e); }
        .hit { fill: transparent; } .hit:hover { fill: var(--line); fill-opacity: .5; }
        </style>
        </head>
        <body>
        <h1>Compilation log</h1>
        """;

    private HtmlReport() {}

    static String of(CompileReport report, List<ReportSection> sections) {
        StringBuilder out = new StringBuilder(HEAD);
        boolean isFirst = true;
        for (ReportSection section : sections) {
            append(section, !isFirst, out);
            if (isFirst) {
                out.append("<h2>Time line</h2>\n<p>Seconds since the start of the VM. Storms are shaded. "
                        + "Point at a column for its numbers.</p>\n<div class=\"wide\">\n");
                TimelineSvg.append(report, out);
                out.append("</div>\n");
                isFirst = false;
            }
        }
        return out.append("</body>\n</html>\n").toString();
    }

    private static void append(ReportSection section, boolean hasTitle, StringBuilder out) {
        if (hasTitle) {
            out.append("<h2>");
            HtmlText.append(section.title, out);
            out.append("</h2>\n");
        }
        out.append("<p>");
        HtmlText.append(section.note, out);
        out.append("</p>\n<div class=\"wide\"><table>\n");
        if (!section.headers.isEmpty()) {
            row(section, section.headers, "th", out);
        }
        for (List<String> row : section.rows) {
            row(section, row, "td", out);
        }
        out.append("</table></div>\n");
    }

    private static void row(ReportSection section, List<String> cells, String tag, StringBuilder out) {
        out.append("<tr>");
        for (int i = 0; i < cells.size(); i++) {
            out.append('<').append(tag).append(section.isNumber(i) ? " class=\"n\">" : ">");
            HtmlText.append(cells.get(i), out);
            out.append("</").append(tag).append('>');
        }
        out.append("</tr>\n");
    }
}

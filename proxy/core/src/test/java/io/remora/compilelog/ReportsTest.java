package io.remora.compilelog;

import static io.remora.compilelog.SampleLog.HEAD;
import static io.remora.compilelog.SampleLog.TAIL;
import static io.remora.compilelog.SampleLog.nmethod;
import static io.remora.compilelog.SampleLog.queued;
import static io.remora.compilelog.SampleLog.task;
import static io.remora.compilelog.SampleLog.thread;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.json.JsonTree;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Reports of forged logs, which must not run anything where somebody reads them. */
final class ReportsTest {
    /** A method as HotSpot writes it, with the name {@code </title><script>alert("x")</script>&'} with a line feed, ESC and é. */
    private static final String HOSTILE =
            "a.&lt;/title&gt;&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&amp;&apos;\n\u001b[31m\u00e9" + " b ()V";

    private static final String LOG = HEAD
            + queued(1, "", 3, HOSTILE, "1.000")
            + nmethod(1, "", 3, HOSTILE, 2_000, "1.400")
            + "<uncommon_trap thread='12' reason='&lt;b&gt;' action='none' compile_id='1' stamp='1.5'>\n<jvms bci='1' method='"
            + HOSTILE + "'/>\n"
            + thread("C1 &lt;i&gt;", task(1, "", 3, HOSTILE, "1.300", "1.400", ""))
            + TAIL;

    private static final CompileReport REPORT = SampleLog.report(LOG);

    @Test
    void thePageHasNoMarkupOfTheLogAndLoadsNothing() {
        String page = HtmlReport.of(REPORT, ReportSections.of(REPORT));
        assertThat(page)
                .contains("&lt;script&gt;alert(&quot;x&quot;)&lt;.script&gt;&amp;&#39;")
                .contains("content=\"default-src 'none'; style-src 'unsafe-inline'\"")
                .contains("C1 &lt;i&gt;", "&lt;b&gt;")
                .doesNotContain(
                        "<script", "<b>", "<i>", "<.title", "\u001b", "http:", "https:", "url(", "@import", " src=",
                        " href=");
    }

    @Test
    void theTextHasNoControlCharacters() {
        String text = TextReport.of(ReportSections.of(REPORT));
        assertThat(text).doesNotContain("\u001b").contains("&'??[31m\u00e9::b()V");
        assertThat(text.lines().filter(line -> line.contains("alert"))).allMatch(line -> line.contains("::b()V"));
    }

    @Test
    void jsonHasTheNamesAsTheyAre() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(bytes, false, StandardCharsets.UTF_8);
        JsonReport.write(REPORT, out);
        out.flush();
        Map<String, Object> json = SampleLog.object(JsonTree.read(bytes.toByteArray()));
        Map<String, Object> method = SampleLog.object(((List<?>) json.get("methods")).get(0));
        assertThat(method.get("method")).isEqualTo("a.<.title><script>alert(\"x\")<.script>&'\n\u001b[31m\u00e9::b()V");
        assertThat(method.get("code_bytes")).isEqualTo(2_000L);
        assertThat(SampleLog.object(json.get("totals")).get("level_3")).isEqualTo(1L);
        assertThat(SampleLog.object(json.get("log")))
                .containsEntry("complete", true)
                .containsEntry("process", 7L);
        Map<String, Object> second = SampleLog.object(((List<?>) json.get("seconds")).get(0));
        assertThat(second.get("start")).isEqualTo(1L);
        assertThat(second.get("longest_wait_ms")).isEqualTo(300L);
        assertThat(second.get("storm")).isEqualTo(true);
        assertThat((List<?>) json.get("storms")).hasSize(1);
    }

    @Test
    void showsAllSectionsThatHaveRows() {
        assertThat(ReportSections.of(REPORT))
                .extracting(section -> section.title)
                .containsExactly("Compilation log", "Levels", "Storms", "Seconds", "Deoptimizations", "Methods");
        for (ReportSection section : ReportSections.of(REPORT)) {
            for (List<String> row : section.rows) {
                assertThat(row).as(section.title).hasSize(section.headers.isEmpty() ? 2 : section.headers.size());
            }
        }
    }

    @Test
    void anEmptyLogHasAReport() {
        CompileReport empty = SampleLog.report(HEAD);
        assertThat(TextReport.of(ReportSections.of(empty))).contains("incomplete", "queued");
        assertThat(HtmlReport.of(empty, ReportSections.of(empty))).contains("</svg>");
    }

    @Test
    void writesNumbersForReaders() {
        assertThat(Figures.grouped(-1_234_567)).isEqualTo("-1,234,567");
        assertThat(Figures.bytes(999)).isEqualTo("999 B");
        assertThat(Figures.bytes(1_540)).isEqualTo("1.5 kB");
        assertThat(Figures.bytes(12_340_000)).isEqualTo("12.3 MB");
        assertThat(Figures.seconds(1_234_005)).isEqualTo("1,234.005");
        assertThat(Figures.ms(1_250_000)).isEqualTo("1.25");
        assertThat(Figures.tenths(999, 1_000)).isEqualTo("1.0");
    }
}

package io.remora.compilelog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LogScannerTest {
    private static final String LOG = """
        <?xml version='1.0' encoding='UTF-8'?>
        <hotspot_log version='160 1' process='7' time_ms='1767323045000'>
        <!-- a comment with <nmethod/> in it -->
        <properties>
        path=/a&lt;b&gt;
        </properties>
        <parse method='3' stamp='0.1'><branch prob='never'/>
        <task_queued compile_id='12' method='a.B &lt;init&gt; (Ljava/lang/Object;)V' stamp='1.234' method='c.D e ()V'/>
        <fragment>
        <![CDATA[
        <inline_fail reason="&amp;&apos;&quot;"/>
        ]]>
        </fragment>
        <hotspot_log_done stamp='2'/>
        </hotspot_log>
        """;

    private static List<String> read(InputStream in) throws IOException {
        LogScanner scanner = new LogScanner(in, "a.log");
        List<String> read = new ArrayList<>();
        for (LogElement element = scanner.next(); element != null; element = scanner.next()) {
            read.add(
                    element + " " + scanner.text("method", "") + scanner.text("reason", "") + " " + scanner.stampMs(0));
        }
        return read;
    }

    private static List<String> read(String text) throws IOException {
        return read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static final List<String> ELEMENTS = List.of(
            "HOTSPOT_LOG  0",
            "TASK_QUEUED a.B <init> (Ljava/lang/Object;)V 1234",
            "INLINE_FAIL &'\" 0",
            "HOTSPOT_LOG_DONE  2000");

    @Test
    void readsTheElementsThatTheReportNeeds() throws IOException {
        assertThat(read(LOG)).isEqualTo(ELEMENTS);
        assertThat(read("\ufeff" + LOG)).isEqualTo(ELEMENTS);
    }

    @Test
    void readsTheSameOfAStreamThatBreaksAnywhere() throws IOException {
        byte[] bytes = LOG.getBytes(StandardCharsets.UTF_8);
        InputStream single = new ByteArrayInputStream(bytes) {
            @Override
            public int read(byte[] to) {
                return super.read(to, 0, 1);
            }
        };
        assertThat(read(single)).isEqualTo(ELEMENTS);
    }

    @Test
    void readsALogThatEndsAnywhereAsFarAsItGoes() throws IOException {
        int begun = LOG.indexOf("<!--");
        for (int end = begun; end < LOG.length(); end++) {
            List<String> read = read(LOG.substring(0, end));
            assertThat(read).isEqualTo(ELEMENTS.subList(0, read.size()));
        }
    }

    @Test
    void tellsWhetherTheEndLiesWithinAnElement() throws IOException {
        for (String end : List.of("<task_queued compile_id='1", "<task_queu", "<", "<parse", "<!-- ")) {
            LogScanner scanner = new LogScanner(
                    new ByteArrayInputStream(("<hotspot_log/>" + end).getBytes(StandardCharsets.UTF_8)), "a");
            assertThat(scanner.next()).isEqualTo(LogElement.HOTSPOT_LOG);
            assertThat(scanner.next()).isNull();
            assertThat(scanner.isCut()).as(end).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`` | 1: no log of -XX:+LogCompilation: the file has no element of one",
                "text | 1: no log of -XX:+LogCompilation: it begins with text",
                "<html> | 1: no log of -XX:+LogCompilation: it begins with another element than hotspot_log",
                "<hotspot_log/>%%< task> | 3: a '<' that begins no element",
                "<hotspot_log/>%<tas'k> | 2: a '<' that begins no element",
                "<hotspot_log/>%<task compile_id> | 2: an attribute without a value",
                "<hotspot_log/>%<task compile_id=1> | 2: a value without quotes",
                "<hotspot_log/>%<task method='a%<task> | 3: a '<' within a value",
                "<hotspot_log/>%<task method='&nbsp;'> | 2: an unknown entity",
                "<hotspot_log/>%<task method='&longer;'> | 2: an unknown entity",
                "<hotspot_log/>%<task /task> | 2: a '/' within an element",
                "<hotspot_log/>%<task stamp='1,5'/> | 2: stamp is not a number",
                "<hotspot_log/>%<task stamp=''/> | 2: stamp is not a number",
                "<hotspot_log/>%<task stamp='9999999999999999'/> | 2: stamp is not a number",
                "<hotspot_log/>%<![CDATE[ | 2: a '<![' without CDATA",
            })
    void namesTheLineOfWhatIsMalformed(String text, String message) {
        assertThatThrownBy(() -> read(text.replace('%', '\n')))
                .isInstanceOf(MalformedLogException.class)
                .hasMessage("a.log:" + message);
    }

    @Test
    void boundsAnElement() {
        String long_ = "<hotspot_log/><task method='" + "x".repeat(LogAttributes.MAX_BYTES) + "'/>";
        assertThatThrownBy(() -> read(long_)).hasMessageContaining("an element of more than 65536 bytes");
        String many = "<hotspot_log/><task " + "a='' ".repeat(LogAttributes.MAX_COUNT + 1) + "/>";
        assertThatThrownBy(() -> read(many)).hasMessageContaining("128 attributes");
    }

    @Test
    void readsDecimalsToTheMillisecond() throws IOException {
        for (String[] pair : new String[][] {{"1", "1000"}, {"1.2", "1200"}, {"0.0009", "0"}, {"-3.5", "0"}}) {
            assertThat(read("<hotspot_log stamp='" + pair[0] + "'/>")).containsExactly("HOTSPOT_LOG  " + pair[1]);
        }
    }
}

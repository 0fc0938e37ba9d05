package io.remora.vmflags;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The reasons for which a flag of the user is worth a line of the log, and those for which it is not. */
final class FlagCheckTest {
    private static final String ROWS = """
            MaxHeapSize size_t product - ?
            InitialHeapSize size_t product - ?
            ThreadStackSize intx pd,product - 1024
            MaxDirectMemorySize uint64_t product - 0
            ReservedCodeCacheSize uintx pd,product - 50331648
            UseSerialGC bool product - ?
            UseCompressedOops bool product,lp64_product - ?
            UseBiasedLocking bool product 15 false
            DefaultMaxRAMFraction alias alias 8 ?
            G1HeapRegionSize size_t product - ?
            ZUncommit bool product - true
            Zero bool product - true
            MaxInlineLevel intx C2,product - 15
            DoEscapeAnalysis bool C2,product - true
            Tier4InvocationThreshold intx product - 5000
            Tier3InvocationThreshold intx product - 200
            GCTimeRatio uintx product - 99
            CompileThresholdScaling double product - 1.000000
            OnError ccstrlist product -\s
            ErrorFile ccstr product -\s
            StringTableSize uintx product - 65536
            """;
    private static final Set<String> ALL = names();

    private static Set<String> names() {
        return Set.copyOf(
                ROWS.lines().map(line -> line.substring(0, line.indexOf(' '))).toList());
    }

    private static List<FlagCheck.Finding> judge(String arguments, String own, boolean knowsFlags) throws IOException {
        FlagTable table = knowsFlags ? FlagTable.read(new StringReader(ROWS), ALL) : null;
        return new FlagCheck(UserFlags.words(arguments), table).judge(UserFlags.words(own), false);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # the profile's flags              | the user's                          | the reason
            -Xmx64m                            | -Xmx32m                             |
            -Xmx64m                            | -Xmx65536k                          | repeats -Xmx64m before it
            -Xmx64m                            | -XX:MaxHeapSize=67108864            | repeats -Xmx64m before it
            -Xss512k                           | -XX:ThreadStackSize=512             | repeats -Xss512k before it
            -Xss512k                           | -Xss1m                              |
            ''                                 | -Xss1m                              | is the default
            ''                                 | -Xmx9m                              |
            ''                                 | -XX:ReservedCodeCacheSize=48m       | is the default
            -XX:ReservedCodeCacheSize=8m       | -XX:ReservedCodeCacheSize=48m       |
            ''                                 | -XX:CompileThresholdScaling=1       | is the default
            ''                                 | -XX:CompileThresholdScaling=1.5     |
            ''                                 | -XX:+UseCompressedOops              |
            ''                                 | -XX:+UseSerialGC                    |
            -XX:+UseSerialGC                   | -XX:+UseSerialGC                    | repeats -XX:+UseSerialGC before it
            ''                                 | -XX:+UseBiasedLocking               | is deprecated since Java 15
            ''                                 | -XX:DefaultMaxRAMFraction=3         | is deprecated since Java 8
            -XX:+IgnoreUnrecognizedVMOptions   | -XX:+NoSuchFlag                     | is not a flag of this JVM
            ''                                 | -XX:AllocatePrefetchLines=3         | is not a flag of this JVM
            -XX:TieredStopAtLevel=1            | -XX:MaxInlineLevel=9                | is for C2
            -XX:TieredStopAtLevel=1            | -XX:-DoEscapeAnalysis               | is for C2
            -XX:TieredStopAtLevel=1            | -XX:Tier4InvocationThreshold=9      | is for C2
            -XX:TieredStopAtLevel=1            | -XX:Tier3InvocationThreshold=9      |
            -XX:TieredStopAtLevel=4            | -XX:MaxInlineLevel=9                |
            ''                                 | -XX:-DoEscapeAnalysis               |
            -XX:+UseSerialGC                   | -XX:G1HeapRegionSize=1m             | is for the collector G1, and this JVM runs Serial
            -XX:+UseG1GC                       | -XX:G1HeapRegionSize=1m             |
            ''                                 | -XX:G1HeapRegionSize=1m             |
            -XX:+UseSerialGC                   | -XX:-ZUncommit                      | is for the collector Z, and this JVM runs Serial
            -XX:+UseSerialGC                   | -XX:-Zero                           |
            -XX:+UseSerialGC                   | -XX:GCTimeRatio=9                   |
            ''                                 | '-XX:OnError=a -XX:OnError=b'       |
            ''                                 | -Dremora.x=1                        |
            -Dremora.x=1                       | -Dremora.x=1                        |
            ''                                 | -Xint                               |
            ''                                 | -Xlog:gc                            |
            """)
    void tellsWhatHasNoEffect(String before, String own, @Nullable String reason) throws IOException {
        List<FlagCheck.Finding> findings = judge(before + ' ' + own, own, true);
        if (reason == null) {
            assertThat(findings).isEmpty();
        } else {
            assertThat(findings).singleElement().satisfies(found -> {
                assertThat(found.flag()).isEqualTo(own);
                assertThat(found.reason()).startsWith(reason);
            });
        }
    }

    @Test
    void tellsWhichOfTwoWins() throws IOException {
        assertThat(judge("-Xmx64m -Xmx9m -Xmx10m", "-Xmx9m -Xmx10m", true))
                .containsExactly(new FlagCheck.Finding(
                        "-Xmx9m", "is overridden by -Xmx10m, which comes later; it does nothing"));
    }

    /** The variable of the JDK comes before the profile, which therefore wins. */
    @Test
    void tellsThatTheProfileWinsAgainstTheVariableOfTheJdk() throws IOException {
        FlagTable table = FlagTable.read(new StringReader(ROWS), ALL);
        FlagCheck check = new FlagCheck(List.of("-Xmx9m", "-Xms8m", "-Xmx64m"), table);
        assertThat(check.judge(List.of("-Xmx9m"), true))
                .containsExactly(new FlagCheck.Finding(
                        "-Xmx9m", "is overridden by -Xmx64m, which comes later; it does nothing"));
    }

    @Test
    void tellsWhatItCanWithoutATable() throws IOException {
        assertThat(judge("-XX:+UseBiasedLocking -XX:+NoSuchFlag", "-XX:+UseBiasedLocking -XX:+NoSuchFlag", false))
                .isEmpty();
        assertThat(judge("-Xmx9m -Xmx9m", "-Xmx9m -Xmx9m", false)).hasSize(1);
    }

    @Test
    void skipsAWordThatTheJvmDidNotReceive() throws IOException {
        assertThat(judge("-Xmx9m", "-XX:+UseBiasedLocking", true)).isEmpty();
    }

    @Test
    void readsARowWithoutAValueAndNoOther() throws IOException {
        FlagTable table =
                FlagTable.read(new StringReader(ROWS + "Half bool\n\nTail\n"), Set.of("OnError", "Half", "Tail"));
        FlagTable.Row row = table.row("OnError");
        assertThat(row).isEqualTo(new FlagTable.Row("ccstrlist", "product", null, ""));
        assertThat(table.row("Half")).isNull();
        assertThat(table.row("Tail")).isNull();
        assertThat(table.row("MaxHeapSize")).isNull();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            -Xmx9m  -Da=*        | -Xmx9m,-Da=*
            "-Da=b c" '-Dd="e'   | -Da=b c,-Dd="e
            -Da="b "c            | -Da=b c
            ``                   | ``
            """)
    void splitsAVariableAsJavaDoes(String text, String words) {
        assertThat(String.join(",", UserFlags.words(text))).isEqualTo(words);
    }
}

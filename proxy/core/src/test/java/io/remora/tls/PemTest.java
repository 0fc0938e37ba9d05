package io.remora.tls;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The blocks of PEM files as people and programs leave them: each is read, or refused in words. */
final class PemTest {
    private static final String MARK = "\u00ef\u00bb\u00bf";

    @TempDir
    Path directory;

    private List<Pem> read(String text) throws IOException {
        Path file = directory.resolve("a.pem");
        Files.writeString(file, text, ISO_8859_1);
        return Pem.read(file.toString());
    }

    private static String block(int number) {
        return begin(number) + "\n" + base64(number) + "\n-----END CERTIFICATE-----";
    }

    private static String begin(int number) {
        return number % 2 == 0 ? "-----BEGIN CERTIFICATE-----" : "-----BEGIN CERTIFICATE-----\r";
    }

    private static String base64(int number) {
        return Base64.getEncoder().encodeToString(octets(number));
    }

    private static byte[] octets(int number) {
        byte[] octets = new byte[20];
        Arrays.fill(octets, (byte) number);
        return octets;
    }

    private void assertBlocks(String text, int count) throws IOException {
        List<Pem> blocks = read(text);
        assertThat(blocks).as(text).hasSize(count);
        for (int i = 0; i < count; i++) {
            assertThat(blocks.get(i).label()).isEqualTo("CERTIFICATE");
            assertThat(blocks.get(i).der()).isEqualTo(octets(i));
        }
    }

    /** Joined files look so where the first has no newline at its end. */
    @Test
    void anEndMayStandBeforeTheNextBegin() throws IOException {
        assertBlocks(block(0) + block(1), 2);
        assertBlocks(block(0) + block(1) + block(2) + "\n", 3);
        assertBlocks(block(0) + " \t" + block(1), 2);
    }

    @Test
    void aByteOrderMarkMayStandBeforeAnyBlock() throws IOException {
        assertBlocks(MARK + block(0), 1);
        assertBlocks(MARK + block(0) + "\n" + MARK + block(1), 2);
        assertBlocks(MARK + block(0) + MARK + block(1) + MARK, 2);
        assertBlocks(MARK + "\n" + block(0), 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r\n", "\r", " ", "\t", "\n\n"})
    void whiteSpaceMayBeAny(String space) throws IOException {
        String one = "-----BEGIN CERTIFICATE-----" + space + base64(0) + space + "-----END CERTIFICATE-----" + space;
        assertBlocks(space + one, 1);
    }

    @Test
    void textMayStandAroundBlocks() throws IOException {
        String about = "subject=CN = a\nBag Attributes\n    localKeyID: 01 --- BEGIN\n=====\n";
        assertBlocks(about + block(0) + "\n" + about + block(1) + "\nthe end", 2);
        assertBlocks(block(0) + " of somebody\n" + block(1), 2);
    }

    @Test
    void aCommentIsForPeople() throws IOException {
        String comment = ("# " + block(7)).replace("\n", "\n# ") + "\n";
        assertBlocks(comment + block(0) + "\n  " + comment + block(1) + "\n" + comment, 2);
    }

    /** Any of the ways above between any of the blocks, and none is missing. */
    @Test
    void nothingIsDropped() throws IOException {
        String[] between = {
            "", "\n", "\r\n", MARK, "\n" + MARK, " ", "\n# -----BEGIN CERTIFICATE-----\n", "\ntext\n", "\r", " x\n"
        };
        Random random = new Random(11);
        for (int round = 0; round < 500; round++) {
            int count = 1 + random.nextInt(6);
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < count; i++) {
                text.append(i == 0 ? "" : between[random.nextInt(between.length)])
                        .append(block(i));
            }
            assertBlocks(text.toString(), count);
        }
    }

    @Test
    void tellsWhereABlockBegins() throws IOException {
        List<Integer> lines = new ArrayList<>();
        for (Pem block : read("text\n" + block(0) + block(1) + "\n\n" + block(2))) {
            lines.add(block.line());
        }
        assertThat(lines).containsExactly(2, 4, 8);
    }

    // ---- refused

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-----BEGIN A-----@AAAA@ | line 1: A has no end",
                "AAAA@-----END A-----@ | line 2: -----END A----- without its -----BEGIN A-----",
                "----BEGIN A----@AAAA@----END A----@ | line 1: damaged, expected -----BEGIN LABEL-----",
                "------BEGIN A------@AAAA@------END A------@ | line 1: damaged, expected -----BEGIN LABEL-----",
                "-----BEGIN A----@AAAA@-----END A-----@ | line 1: damaged",
                "-----BEGIN A------@AAAA@-----END A-----@ | line 1: damaged",
                "-----BEGIN -----@AAAA@-----END -----@ | line 1: damaged",
                "@key: -----BEGIN A-----@AAAA@-----END A-----@ | line 2: damaged",
                "-----BEGIN A-----@AAAA@-----END A------BEGIN B-----@AAAA@-----END B----- | line 3: damaged",
                "-----BEGIN A-----@AAAA@-----BEGIN B-----@AAAA@-----END B-----@-----END A----- | line 1: A is not base64",
                "-----BEGIN A-----@AAAA@-----END B----- | line 1: A has no end",
                "-----BEGIN A-----@AA*A@-----END A----- | line 1: A is not base64",
                "-----BEGIN A-----@a: b@AAAA@-----END A----- | line 1: A has header lines",
            })
    void isRefusedInWords(String text, String problem) {
        assertThatThrownBy(() -> read(text.replace("@", "\n")))
                .isInstanceOf(MaterialException.class)
                .hasMessageStartingWith(problem);
    }

    /** Some shells write so what a program prints. */
    @ParameterizedTest
    @ValueSource(strings = {"UTF-16LE", "UTF-16BE", "UTF-16"})
    void isNotReadInUtf16(String charset) {
        String mark = charset.equals("UTF-16") ? "" : "\ufeff";
        assertThatThrownBy(() -> {
                    Path file = directory.resolve("wide.pem");
                    Files.write(file, (mark + block(0)).getBytes(charset));
                    Pem.read(file.toString());
                })
                .isInstanceOf(MaterialException.class)
                .hasMessage("is text in UTF-16, expected ASCII");
    }
}

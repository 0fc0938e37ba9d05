package io.remora.config.yaml;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.remora.config.model.ConfigException;
import io.remora.config.model.Problem;
import io.remora.config.model.ProxyConfig;
import io.remora.config.text.ConfigText;
import io.remora.feature.FeatureList;
import java.io.ByteArrayInputStream;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever the file holds, it ends in a configuration or in problems that stand in it. */
final class ConfigMutationTest {
    private static final int MUTANTS = 1_000;
    private static final byte[] SPICE = ":-{}[]\"'\\#&*!|>%@`?,~\n\r\t $09aZ\u0000\u007f\u0085\u00ff".getBytes(UTF_8);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void neverThrowsAnythingElse(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] good = Yaml.FULL.getBytes(UTF_8);
        int readable = 0;
        for (int i = 0; i < MUTANTS; i++) {
            byte[] mutant = mutate(good, random);
            readable += judge(mutant) ? 1 : 0;
        }
        assertThat(readable).as("mutants that were still good").isBetween(1, MUTANTS - 1);
    }

    private static boolean judge(byte[] yaml) {
        try {
            ProxyConfig config = ConfigReader.read("f", new ByteArrayInputStream(yaml), Map.of(), new FeatureList());
            String text = ConfigText.render(config);
            assertThat(Yaml.read(text)).isEqualTo(config);
            return true;
        } catch (ConfigException e) {
            assertThat(e.problems()).isNotEmpty();
            for (Problem problem : e.problems()) {
                assertThat(problem.line()).isPositive();
                assertThat(problem.column()).isPositive();
                assertThat(problem.toString())
                        .doesNotContain("\n")
                        .doesNotContain("\r")
                        .doesNotContain("null");
            }
            return false;
        } catch (RuntimeException | StackOverflowError e) {
            return fail("this file: " + new String(yaml, UTF_8), e);
        }
    }

    private static byte[] mutate(byte[] good, SplittableRandom random) {
        byte[] bytes = good.clone();
        for (int edits = random.nextInt(1, 5); edits > 0; edits--) {
            int at = random.nextInt(bytes.length);
            switch (random.nextInt(5)) {
                case 0 -> bytes[at] = SPICE[random.nextInt(SPICE.length)];
                case 1 -> bytes[at] = (byte) random.nextInt(256);
                case 2 -> bytes = splice(bytes, at, Math.min(bytes.length, at + random.nextInt(20)), new byte[0]);
                case 3 -> bytes = splice(bytes, at, at, new byte[] {SPICE[random.nextInt(SPICE.length)]});
                default -> bytes = splice(bytes, at, at, piece(good, random));
            }
        }
        return bytes;
    }

    private static byte[] piece(byte[] good, SplittableRandom random) {
        int from = random.nextInt(good.length);
        byte[] piece = new byte[Math.min(good.length - from, random.nextInt(40))];
        System.arraycopy(good, from, piece, 0, piece.length);
        return piece;
    }

    /** The bytes with those from one index to another replaced. */
    private static byte[] splice(byte[] bytes, int from, int to, byte[] replacement) {
        byte[] spliced = new byte[bytes.length - (to - from) + replacement.length];
        System.arraycopy(bytes, 0, spliced, 0, from);
        System.arraycopy(replacement, 0, spliced, from, replacement.length);
        System.arraycopy(bytes, to, spliced, from + replacement.length, bytes.length - to);
        return spliced;
    }
}

package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Hostile frames by a seeded damage of our own, under the look for leaks; {@code scripts/fuzz-h2} has Jazzer look for what this
 * does not find.
 */
final class FramesFuzzIT {
    private static final int TIMES = 400;

    private static FramesFuzz fuzz;

    @BeforeAll
    static void start() throws IOException {
        fuzz = new FramesFuzz();
    }

    @AfterAll
    static void end() throws IOException {
        fuzz.close();
    }

    /** So that it is not for nothing that the damaged ones are tried. */
    @Test
    void undamagedOnesReachTheBackend() throws IOException {
        int whole = 0;
        for (byte[] seed : FrameSeeds.ALL) {
            whole += fuzz.judge(seed);
        }
        assertThat(whole).isGreaterThanOrEqualTo(FrameSeeds.ALL.size());
    }

    @Test
    void damagedOnesDoNoHarm() throws IOException {
        long number = Long.getLong("remora.test.seed", System.nanoTime());
        Random random = new Random(number);
        int whole = 0;
        for (int i = 0; i < TIMES; i++) {
            for (byte[] seed : FrameSeeds.ALL) {
                byte[] damaged = damaged(seed, random);
                try {
                    whole += fuzz.judge(damaged);
                } catch (RuntimeException | Error e) {
                    throw new AssertionError(
                            "-Dremora.test.seed=" + number + ", " + Arrays.toString(damaged) + ": " + e, e);
                }
            }
        }
        assertThat(whole).isGreaterThan(TIMES);
    }

    /** Flips, overwrites, inserts, drops, or has frames of another one follow. */
    private static byte[] damaged(byte[] octets, Random random) {
        byte[] now = octets.clone();
        for (int times = 1 + random.nextInt(4); times > 0; times--) {
            int at = 1 + random.nextInt(now.length);
            ByteArrayOutputStream next = new ByteArrayOutputStream();
            next.write(now, 0, Math.min(at, now.length));
            switch (random.nextInt(5)) {
                case 0 -> next.write(random.nextInt(256));
                case 1 -> next.write(random.nextInt(16));
                case 2 -> {
                    byte[] other = FrameSeeds.ALL.get(random.nextInt(FrameSeeds.ALL.size()));
                    next.write(other, 1, other.length - 1);
                }
                case 3 -> at = Math.min(now.length, at + 1 + random.nextInt(4));
                default -> {
                    next.write(random.nextInt(256));
                    at++;
                }
            }
            next.write(now, Math.min(at, now.length), Math.max(0, now.length - at));
            now = next.toByteArray();
        }
        return now;
    }
}

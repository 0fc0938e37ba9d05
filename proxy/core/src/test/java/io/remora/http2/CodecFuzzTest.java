package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Sequences of frames by our own seeded generator, compared with Netty's codec; {@code scripts/fuzz-h2} has Jazzer look for
 * what this does not find.
 */
final class CodecFuzzTest {
    private static final int TIMES = 3_000;
    private static final int LONGEST = 400;

    @Test
    void bothCodecsComeToTheSame() {
        long number = Long.getLong("remora.test.seed", System.nanoTime());
        int times = Integer.getInteger("remora.test.times", TIMES);
        Random random = new Random(number);
        CodecFuzz.Tally tally = new CodecFuzz.Tally();
        for (int i = 0; i < times; i++) {
            byte[] input = new byte[1 + random.nextInt(LONGEST)];
            random.nextBytes(input);
            try {
                tally.add(CodecFuzz.judge(input));
            } catch (RuntimeException | Error e) {
                throw new AssertionError(
                        "-Dremora.test.seed=" + number + ", " + Arrays.toString(input) + ": " + e.getMessage(), e);
            }
        }
        // so that it is not for nothing: most of them are frames that both take
        assertThat(tally.steps()).as(tally.ends().toString()).isGreaterThan(4L * tally.runs());
    }

    @Test
    void eachSeedComesToItsEnd() {
        for (byte[] seed : CodecSeeds.ALL) {
            CodecFuzz.Result result = CodecFuzz.judge(seed);
            assertThat(result.steps()).isEqualTo(result.all());
        }
    }

    @Test
    void aGoAwayThatClosesAStreamWhoseContentWaitsIsADifferenceThatIsKnown() {
        byte[] input = {
            1, 8, 1, 4, 0, 0, 0, 0, 17, -1, -1, -1, -1, -1, -1, -1, -1, 1, 4, 0, 17, 1, -46, 1, 10, 1, 33, 4, 3
        };
        assertThat(CodecFuzz.judge(input).ended()).isEqualTo(CodecDifference.RESET_BEHIND_GOAWAY);
    }

    @Test
    void anEndThatNeedsNoWindowIsADifferenceThatIsKnown() {
        byte[] input = new byte[43];
        Arrays.fill(input, (byte) 177);
        input[2] = input[3] = input[4] = 118;
        input[14] = input[28] = (byte) 233;
        input[18] = input[32] = 43;
        System.arraycopy(new byte[] {-1, 0, 4, 0, 0}, 0, input, 38, 5);
        assertThat(CodecFuzz.judge(input).ended()).isEqualTo(CodecDifference.END_WITHOUT_WINDOW);
    }

    /** A PING that lacks four octets takes those of the next frame, whose rest is an empty frame of DATA with padding. */
    @Test
    void contentWithoutItsPaddingOnAnIdleStreamIsADifferenceThatIsKnown() {
        byte[] input = {
            0, 31, 31, 31, 31, 31, 31, 0, 0, 0, 0, -1, -1, -1, -1, 31, 31, 31, -1, 64, -1, 29, -1, -1, -1, -1, -1, -1,
            0, 64, 0, 31, 31, 31, 64, -1, 29, -1, -1, -1, 31, 9, 0, 92
        };
        assertThat(CodecFuzz.judge(input).ended()).isEqualTo(CodecDifference.CONTENT_WITHOUT_PADDING);
    }

    /** ENABLE_PUSH of 1 and then of 0 in one frame of a server. */
    @Test
    void aSettingInErrorThatIsReplacedIsADifferenceThatIsKnown() {
        byte[] input = Base64.getDecoder().decode("OwgyDAAAAAEM");
        assertThat(CodecFuzz.judge(input).ended()).isEqualTo(CodecDifference.SETTINGS_IN_ERROR);
    }

    /** GOAWAY frames that lack octets, so that they end in the octets of the next frame. */
    @Test
    void theFrameThatDiffersIsTheOneThatIsJudged() {
        for (String input : List.of(
                "XEVdXEUvRQAhBDpzdGF01QAIRS9FArcCAASJiamJ",
                "XEVdXP8GAP8BYAEREREfCB5d/yAlMSRUcCAlMiRz////XQgeXV1dXV8IHgBbcighBAP4/A==",
                "XEVdXCE6RQQAc3QBCAEEAAACABH///9DAQQR////XQgeXV1dXV8IHgBbgSPExMQIEQARXfj8")) {
            assertThat(CodecFuzz.judge(Base64.getDecoder().decode(input)).ended())
                    .as(input)
                    .isEqualTo(CodecDifference.GOAWAY_OF_A_CLIENT);
        }
    }

    /** A window and a frame of a wrong size in the octets of one step. */
    @Test
    void contentBeforeAnErrorOfSizeIsNoDifference() {
        byte[] input = Base64.getDecoder()
                .decode(
                        "AQgBBAAAAgAR/////wEIAQQAAAIAEf////////8RAdIBCgEhAQgBBAAAAgAR/////wEIAQQAAAIAEf////////8RAdIBCgEhAQgB"
                                + "BAAgAP8RAdIBCgEhAQgBBAAAAgAR/////wEIAQQAAAIAEf////////8RAdIBCgEhAQgBBAACABH/////AQgB0gEK/////xEB0gEK"
                                + "ASEBCAEEAAACABH/////AQgBBAD/Ef8AAAL//////xEB0gEKASEBCAEEACAA////EQHSAQoBIQEIAQQAAAIAAAIAEf////8BCAEE"
                                + "IQACABH/////////EQHSAQoAEf8AIgDdACEEAwQD");
        assertThat(CodecFuzz.judge(input).ended()).isNull();
    }

    @Test
    void contentBeforeTheEndOfAConnectionIsADifferenceThatIsKnown() {
        byte[] input = Base64.getDecoder()
                .decode(
                        "AQgBBAAAAgAR/////////xH///8SAdIBCgEhAQgBBAD0AAIAEf////8BCAEEAAACABH//////v//EQHSAQoBIQEIAQQAAAIAIToD"
                                + "BAM=");
        assertThat(CodecFuzz.judge(input).ended()).isEqualTo(CodecDifference.SETTINGS_OVERFLOW);
    }

    /** Five changes of the table's size, of which a block may have two (RFC 7541 4.2). */
    @Test
    void aBlockThatOnlyNettyReadsIsADifferenceThatIsKnown() {
        byte[] input = {1, (byte) 154, 1, 4, 51, 51, 51, 51, 51, 51, 51, 51, 51, 1, 1, 1, 122};
        assertThat(CodecFuzz.judge(input).ended()).isEqualTo(CodecDifference.BLOCK_IN_ERROR);
    }

    @Test
    void severalLengthsOfOneContentAreJudgedAboveTheCodec() {
        byte[] input = new byte[56];
        Arrays.fill(input, (byte) 0x9c);
        byte[] frame = {2, (byte) 254, 101, 101, 101, (byte) 244, 0, 15, 0, 0, 1};
        System.arraycopy(frame, 0, input, 0, frame.length);
        assertThat(CodecFuzz.judge(input).ended()).isEqualTo(CodecDifference.LENGTH_OF_CONTENT);
    }

    /** Its number is beyond those whose states are compared all the time. */
    @Test
    void aSectionBehindTheEndOfAFarStreamIsADifferenceThatIsKnown() {
        byte[] input = {
            0, 0, 0, 0, (byte) 255, 0, 65, 1, 2, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (byte) 255, 0, 65, 1, 2, 7, 0, 0, 0
        };
        assertThat(CodecFuzz.judge(input).ended()).isEqualTo(CodecDifference.SECTION_BEHIND_END);
    }
}

package io.remora.profile;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.flame.CallTree;
import io.remora.flame.Frame;
import io.remora.flame.FrameKind;
import io.remora.flame.Measure;
import io.remora.flame.TopList;
import java.io.IOException;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** Samples by second. */
final class MomentsTest {
    private final Moments moments = new Moments();

    private static int[] path(CallTree tree, String... names) {
        int[] path = new int[names.length];
        for (int i = 0; i < names.length; i++) {
            path[i] = tree.frame(new Frame(names[i], FrameKind.JAVA));
        }
        return path;
    }

    private void add(CallTree tree, int times, long weight, int second, String... names) {
        for (int i = 0; i < times; i++) {
            moments.add(tree.place(path(tree, names), names.length), weight, second);
        }
    }

    private static String top(CallTree tree) throws IOException {
        StringWriter text = new StringWriter();
        TopList.write(tree, Measure.SAMPLES, text);
        return text.toString();
    }

    @Test
    void theFrameThatIsOnTheStackInSlowSecondsComesFirst() throws IOException {
        CallTree tree = new CallTree(1_000);
        for (int second = 0; second < 10; second++) {
            add(tree, 200, 1, second, "loop", "serve");
        }
        add(tree, 300, 1, 4, "loop", "serve", "match");
        boolean[] slow = new boolean[10];
        slow[4] = true;
        moments.split(tree, slow);
        assertThat(tree.total(CallTree.NOW)).isEqualTo(500);
        assertThat(tree.total(CallTree.BEFORE)).isEqualTo(1_800);
        assertThat(top(tree)).startsWith("""
                samples 1800 in the rest, 500 in the slow seconds; self and total in percentage points
                  self   total  frame
                  60.0    60.0  match
                """);
    }

    @Test
    void aSplitTreeEqualsOneThatIsCountedAtOnce() throws IOException {
        CallTree whole = new CallTree(1_000);
        CallTree split = new CallTree(1_000);
        String[][] stacks = {{"a"}, {"a", "b"}, {"a", "b", "c"}, {"d", "b"}, {}};
        for (int i = 0; i < stacks.length; i++) {
            whole.add(path(whole, stacks[i]), stacks[i].length, i + 1, CallTree.NOW);
            add(split, 1, i + 1, i, stacks[i]);
        }
        moments.split(split, new boolean[] {true, true, true, true, true});
        assertThat(top(split)).isEqualTo(top(whole));
        assertThat(split.total(CallTree.NOW)).isEqualTo(15);
    }

    @Test
    void aStackThatFindsNoRoomIsCut() {
        CallTree tree = new CallTree(3);
        add(tree, 5, 2, 0, "a", "b", "c");
        moments.split(tree, new boolean[] {true});
        assertThat(tree.total(CallTree.NOW)).isEqualTo(10);
        assertThat(tree.cut(CallTree.NOW)).isEqualTo(10);
        assertThat(tree.cut(CallTree.BEFORE)).isZero();
    }

    @Test
    void samplesBeyondTheBoundLeaveEachSecondItsShare() {
        CallTree tree = new CallTree(3);
        boolean[] slow = new boolean[10];
        slow[9] = true;
        for (int second = 0; second < slow.length; second++) {
            add(tree, Moments.MAX, 1, second, "a");
        }
        moments.split(tree, slow);
        assertThat(tree.total(CallTree.NOW)).isBetween(Moments.MAX - 16L, Moments.MAX + 16L);
        assertThat(tree.total(CallTree.BEFORE)).isBetween(9L * Moments.MAX - 16, 9L * Moments.MAX + 16);
    }
}

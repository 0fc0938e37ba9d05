package io.remora.flame;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Names of frames in a tree, which may become known after the samples. */
final class CallTreeTest {
    private static int add(CallTree tree, String name, long count) {
        int frame = tree.frame(Frame.of(name, FrameKind.KERNEL));
        tree.add(new int[] {tree.frame(Frame.of("[loop]", FrameKind.THREAD)), frame}, 2, count, CallTree.NOW);
        return frame;
    }

    private static String collapsed(CallTree tree) throws IOException {
        return new String(FlameFiles.bytes(tree, FlameFormat.COLLAPSED), StandardCharsets.UTF_8);
    }

    @Test
    void aRenamedFrameKeepsItsSamplesAndItsNumber() throws IOException {
        CallTree tree = new CallTree(100);
        int frame = add(tree, "first", 3);
        tree.rename(frame, "second");
        assertThat(collapsed(tree)).isEqualTo("[loop];second_[k] 3\n");
        assertThat(add(tree, "second", 4)).isEqualTo(frame);
        assertThat(add(tree, "first", 1)).isNotEqualTo(frame);
        assertThat(collapsed(tree)).isEqualTo("[loop];first_[k] 1\n[loop];second_[k] 7\n");
    }

    @Test
    void twoFramesMayHaveOneName() throws IOException {
        CallTree tree = new CallTree(100);
        int one = add(tree, "one", 3);
        int other = add(tree, "other", 4);
        tree.rename(other, "one");
        assertThat(collapsed(tree).lines()).containsExactlyInAnyOrder("[loop];one_[k] 3", "[loop];one_[k] 4");
        assertThat(tree.frame(Frame.of("one", FrameKind.KERNEL))).isEqualTo(one);
    }

    @Test
    void theFrameForAllOthersKeepsItsName() throws IOException {
        // room for one thread, one function, and all others
        CallTree tree = CallTree.within(15 * 1_024L);
        add(tree, "one", 1);
        int others = add(tree, "two", 2);
        tree.rename(others, "three");
        assertThat(collapsed(tree)).contains("[loop];[other] 2").doesNotContain("three");
    }
}

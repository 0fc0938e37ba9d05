package io.remora.flame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Stacks of samples, as a tree and as lines. */
final class CollapsedTest {
    @Test
    void writesWhatItHasReadWithEqualStacksMerged() throws IOException {
        CallTree tree = FlameFiles.tree(
                "[b];java.lang.Thread.run_[j];read;[kernel]_[k] 3",
                "[a];Compile::main_[v] 2",
                "",
                "# a comment",
                "[b];java.lang.Thread.run_[j];read;[kernel]_[k] 4",
                "[b];java.lang.Thread.run_[j] 1");
        assertThat(tree.total(CallTree.NOW)).isEqualTo(10);
        assertThat(FlameFiles.text(tree, FlameFormat.COLLAPSED)).isEqualTo("""
                [a];Compile::main_[v] 2
                [b];java.lang.Thread.run_[j] 1
                [b];java.lang.Thread.run_[j];read;[kernel]_[k] 7
                """);
    }

    @ParameterizedTest
    @CsvSource({
        "[remora-loop], true, THREAD",
        "[remora-loop], false, NATIVE",
        "io.remora.Main.run, false, JAVA",
        "io/remora/Main.run, false, JAVA",
        "a_[j], false, JAVA",
        "a_[i], false, JAVA",
        "a_[0], false, JAVA",
        "a_[1], false, JAVA",
        "do_syscall_64_[k], false, KERNEL",
        "[kernel]_[k], true, KERNEL",
        "a_[v], false, VM",
        "CompileBroker::compiler_thread_loop, false, VM",
        "epoll_wait, false, NATIVE",
        "libc.so.6, false, NATIVE",
        "copy.part.0, false, NATIVE",
        "_[k], false, NATIVE",
    })
    void knowsTheKindsOfItsFramesAndThoseOfOtherProfilers(String text, boolean root, FrameKind kind) {
        assertThat(FrameKind.of(text, root)).isEqualTo(kind);
    }

    @Test
    void aNameCannotEndItsFrameNorItsLine() throws IOException {
        CallTree tree = new CallTree(10);
        int frame = tree.frame(Frame.of("a;b\nc\u0000\ud800" + "x".repeat(1_000), FrameKind.NATIVE));
        tree.add(new int[] {frame}, 1, 5, CallTree.NOW);
        String text = FlameFiles.text(tree, FlameFormat.COLLAPSED);
        assertThat(text).startsWith("a,b?c??xxx").endsWith("x 5\n").hasSize(512 + 3);
    }

    @Test
    void aTreeThatIsFullCountsOnAtTheLastNodeOfAStack() throws IOException {
        // the root is a node as well
        CallTree tree = FlameFiles.tree(4, "a;b;c 1", "a;b;d;e 2", "f 4");
        assertThat(tree.total(CallTree.NOW)).isEqualTo(7);
        assertThat(tree.cut(CallTree.NOW)).isEqualTo(6);
        assertThat(FlameFiles.text(tree, FlameFormat.COLLAPSED)).isEqualTo("a;b 2\na;b;c 1\n");
    }

    @Test
    void framesBeyondTheBoundAreOne() {
        CallTree tree = new CallTree(10);
        for (int i = 0; i < 2 * CallTree.MAX_FRAMES; i++) {
            assertThat(tree.frame(Frame.of("f" + i, FrameKind.NATIVE))).isLessThan(CallTree.MAX_FRAMES);
        }
        assertThat(tree.frames()).isEqualTo(CallTree.MAX_FRAMES);
        assertThat(tree.frameAt(tree.frame(Frame.of("g", FrameKind.JAVA))).name())
                .isEqualTo("[other]");
    }

    @Test
    void aStackThatIsTooDeepKeepsItsRoot() throws IOException {
        CallTree tree = FlameFiles.tree("a" + ";b".repeat(2 * Collapsed.MAX_DEPTH) + " 3");
        assertThat(FlameFiles.text(tree, FlameFormat.COLLAPSED))
                .isEqualTo("a" + ";b".repeat(Collapsed.MAX_DEPTH - 1) + " 3\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a;b", "a x", "a -1", "a 0", " 5", "a 99999999999999999999999", "<html> <p>"})
    void refusesWhatIsNoStackAndNamesTheLine(String line) {
        CallTree tree = new CallTree(10);
        assertThatThrownBy(() -> Collapsed.read(
                        new BufferedReader(new StringReader("a;b 1\n" + line + '\n')), "cpu.txt", tree, CallTree.NOW))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("cpu.txt:2: not a stack");
    }
}

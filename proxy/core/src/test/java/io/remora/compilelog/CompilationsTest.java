package io.remora.compilelog;

import static io.remora.compilelog.SampleLog.HEAD;
import static io.remora.compilelog.SampleLog.TAIL;
import static io.remora.compilelog.SampleLog.nmethod;
import static io.remora.compilelog.SampleLog.queued;
import static io.remora.compilelog.SampleLog.read;
import static io.remora.compilelog.SampleLog.second;
import static io.remora.compilelog.SampleLog.task;
import static io.remora.compilelog.SampleLog.thread;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Reads events in HotSpot's own words and order. */
final class CompilationsTest {
    private static final String METHOD = "a.B c (I)V";
    private static final String OSR = " compile_kind='osr'";

    private static final String INLINING = """
        <type id='1' name='void'/>
        <klass id='2' name='a.Callee' flags='1'/>
        <method id='3' holder='2' name='small' return='1' flags='1' bytes='5' iicount='9'/>
        <method id='4' holder='2' name='large' return='1' flags='1' bytes='900' iicount='9'/>
        <parse method='3' stamp='0.1'>
        <uncommon_trap bci='3' reason='unloaded' action='reinterpret' index='9' klass='2'/>
        <call method='3' instr='invokevirtual'/>
        <inline_success reason='inline (hot)'/>
        <call method='4' instr='invokevirtual'/>
        <inline_fail reason='hot method too big'/>
        <call method='4' instr='invokevirtual'/>
        <inline_fail reason='hot method too big'/>
        <code_cache total_blobs='1' nmethods='2' adapters='3' free_code_cache='4000'/>
        </parse>
        """;

    @Test
    void readsTheWayOfAMethodFromTheQueueToItsEnd() {
        String vm = HEAD
                + queued(1, "", 3, METHOD, "1.000")
                + nmethod(1, "", 3, METHOD, 2_000, "1.400")
                + queued(2, "", 4, METHOD, "2.100")
                + nmethod(2, "", 4, METHOD, 5_000, "2.900")
                + "<make_not_entrant thread='11' compile_id='1' compiler='C1' level='3' stamp='2.900'/>\n"
                + "<uncommon_trap thread='12' reason='class_check' action='maybe_recompile' compile_id='2'"
                + " compiler='C2' level='4' count='1' stamp='3.100'>\n"
                + "<jvms bci='7' method='a.Inner d ()V' bytes='9' count='1' iicount='1'/>\n"
                + "<jvms bci='3' method='a.B c (I)V' bytes='9' count='1' iicount='1'/>\n</uncommon_trap>\n"
                + "<make_not_entrant thread='12' compile_id='2' compiler='C2' level='4' stamp='3.101'/>\n"
                + "<make_not_entrant thread='9' zombie='1' compile_id='1' compiler='C1' level='3' stamp='3.200'/>\n"
                + thread("C1 CompilerThread0", task(1, "", 3, METHOD, "1.300", "1.400", INLINING))
                + thread("C2 CompilerThread0", task(2, "", 4, METHOD, "2.700", "3.500", ""))
                + TAIL;
        Compilations all = read(Window.ALL, vm);
        assertThat(all.facts.isComplete()).isTrue();
        assertThat(all.facts.process()).isEqualTo(7);
        assertThat(all.facts.startedMs()).isEqualTo(SampleLog.START_MS);
        assertThat(all.facts.leastFreeCode()).isEqualTo(4_000);
        assertThat(all.threads).containsOnlyKeys("C1 CompilerThread0", "C2 CompilerThread0");
        assertThat(all.level(3).compiled).isEqualTo(1);
        assertThat(all.level(4).queued).isEqualTo(1);
        assertThat(all.level(4).codeBytes).isEqualTo(5_000);
        assertThat(all.level(4).longestMethod).isEqualTo("a.B::c(I)V");
        assertThat(all.causes.sorted())
                .containsExactlyInAnyOrder("replaced by code of level 4", "uncommon trap: class_check");
        assertThat(all.total(Count.FREED)).isEqualTo(1);
        TrapRow trap = all.traps.top(1, row -> row.count).get(0);
        assertThat(trap.method).isEqualTo("a.Inner::d()V");
        assertThat(List.of(trap.bci, trap.count, trap.firstMs)).containsExactly(7L, 1L, 3_100L);

        MethodRow method = all.methods.row("a.B::c(I)V");
        assertThat(List.of(method.compiled, method.codeBytes, method.compileMs, method.deoptimized, method.notEntrant))
                .containsExactly(2L, 7_000L, 900L, 1L, 2L);
        assertThat(second(all, 1).longestWaitMs()).isEqualTo(300);
        assertThat(second(all, 2).get(Count.C2_BUSY_MS)).isEqualTo(300);
        assertThat(second(all, 3).get(Count.C2_BUSY_MS)).isEqualTo(500);
        assertThat(second(all, 3).get(Count.DEOPTIMIZED)).isEqualTo(1);

        assertThat(all.total(Count.INLINED)).isEqualTo(1);
        assertThat(all.notInlined.get("hot method too big")).isEqualTo(2);
        CalleeRow large = all.callees.top(1, row -> row.notInlined).get(0);
        assertThat(large.name).isEqualTo("a.Callee::large");
        assertThat(List.of(large.notInlined, large.inlined, large.bytecodes)).containsExactly(2L, 0L, 900L);
    }

    @Test
    void tellsHowManyTasksWaitAtTheEndOfASecond() {
        Compilations all = read(
                Window.ALL,
                HEAD
                        + queued(1, "", 1, METHOD, "1.000")
                        + queued(2, "", 1, METHOD, "1.100")
                        + queued(3, OSR, 1, METHOD, "1.200")
                        + queued(4, "", 1, "a.B never ()V", "1.200")
                        + thread(
                                "C1 CompilerThread0",
                                task(1, "", 1, METHOD, "1.900", "2.500", "")
                                        + task(2, "", 1, METHOD, "2.500", "3.100", "")
                                        + task(3, OSR, 1, METHOD, "3.100", "3.200", ""))
                        + TAIL);
        assertThat(second(all, 1).waiting()).isEqualTo(2);
        assertThat(second(all, 2).waiting()).isEqualTo(1);
        assertThat(second(all, 3).waiting()).isZero();
        assertThat(second(all, 3).longestWaitMs()).isEqualTo(1_900);
        // the one that never began is queued only
        assertThat(all.total(Count.QUEUED) - all.total(Count.STARTED)).isEqualTo(1);
    }

    @Test
    void readsALogWhoseVmWasKilledWithoutThoseOfItsThreads() {
        Compilations all = read(
                Window.ALL,
                HEAD
                        + "<thread_logfile thread='11' filename='/tmp/hs_c11_pid7.log'/>\n"
                        + queued(1, OSR, 3, METHOD, "1.000")
                        + nmethod(1, OSR, 3, METHOD, 2_000, "2.400")
                        + "<task_queued compile_id='2' met");
        assertThat(all.facts.isComplete()).isFalse();
        assertThat(all.threadFiles).containsExactly("/tmp/hs_c11_pid7.log");
        assertThat(all.total(Count.OSR)).isEqualTo(1);
        // without the begin of a task, its wait lasts until its code is there
        assertThat(second(all, 1).waiting()).isEqualTo(1);
        assertThat(second(all, 2).longestWaitMs()).isEqualTo(1_400);
        assertThat(all.highestLevel()).isEqualTo(1);
    }

    @Test
    void addsTheLogOfACompileThreadToThatOfTheVm() {
        String vm = HEAD + queued(1, "", 3, METHOD, "1.000") + nmethod(1, "", 3, METHOD, 2_000, "1.500");
        String partial = "<start_compile_thread name='C1 CompilerThread0' thread='11' process='7' stamp='0.010'/>\n"
                + task(1, "", 3, METHOD, "1.250", "1.500", INLINING) + "<task compile_id='9' meth";
        Compilations all = read(Window.ALL, vm, partial);
        assertThat(all.compiled()).isEqualTo(1);
        assertThat(all.total(Count.CODE_BYTES)).isEqualTo(2_000);
        assertThat(all.total(Count.NOT_INLINED)).isEqualTo(2);
        assertThat(second(all, 1).longestWaitMs()).isEqualTo(250);
        // alone, it has code of its own
        Compilations alone = read(Window.ALL, partial);
        assertThat(alone.compiled()).isEqualTo(1);
        assertThat(alone.total(Count.CODE_BYTES)).isEqualTo(900);
        assertThat(alone.facts.hasStart()).isFalse();
    }

    @Test
    void rejectsLogsOfTwoProcessesAndInAnotherOrder() {
        String other = "<start_compile_thread name='C1 CompilerThread0' thread='11' process='8' stamp='0.010'/>";
        assertThatThrownBy(() -> read(Window.ALL, HEAD, other))
                .hasMessageContaining("sample.log:1: a log of process 8 after one of process 7");
        String same = other.replace("'8'", "'7'");
        assertThatThrownBy(() -> read(Window.ALL, same, HEAD)).hasMessageContaining("must be before those");
    }

    @Test
    void namesTheClassThatInvalidatesCode() {
        Compilations all = read(
                Window.ALL,
                HEAD
                        + nmethod(8, "", 4, METHOD, 10, "1.100")
                        + "<dependency_failed type='unique_concrete_method' ctxk='a.B' witness='a.C' stamp='1.200'/>\n"
                        + "<make_not_entrant thread='5' compile_id='8' compiler='C2' level='4' stamp='1.201'/>\n"
                        + "<make_not_entrant thread='5' compile_id='8' compiler='C2' level='4' stamp='1.500'/>\n"
                        + "<make_not_entrant thread='5' compile_id='7' compile_kind='osr' stamp='1.500'/>\n");
        assertThat(all.causes.sorted())
                .containsExactlyInAnyOrder(
                        "class loaded: unique_concrete_method", "not logged", "loop code no longer used");
    }

    @Test
    void countsFailuresAndTheCodeCache() {
        String failed = task(5, "", 4, METHOD, "1.000", "1.010", "<failure reason='out of nodes' phase='compile'/>\n")
                .replace("success='1'", "success='0'");
        Compilations all = read(
                Window.ALL,
                HEAD
                        + "<code_cache_full total_blobs='9' free_code_cache='10' stamp='1.000'/>\n"
                        + "<sweeper state='disable_compiler' traversals='1' stamp='1.000'/>\n"
                        + "<sweeper state='finished' traversals='1' stamp='1.100'/>\n"
                        + "<make_not_compilable thread='11' osr='0' level='4' reason='too big' method='a.B c (I)V'"
                        + " stamp='1.100'/>\n"
                        + "<dependency_failed type='leaf_type' ctxk='a.B' witness='a.C' stamp='1.200'/>\n"
                        + nmethod(8, "", 3, METHOD, 10, "1.100")
                        + "<deoptimized thread='5' reason='constraint' pc='0x1' compile_id='8' compiler='C1'"
                        + " level='3'>\n<jvms bci='1' method='a.B c (I)V' bytes='1' count='1'/>\n</deoptimized>\n"
                        + "<make_not_entrant thread='5' compile_id='8' compiler='C1' level='3' stamp='1.210'/>\n"
                        + "<make_not_entrant thread='5' reason='unstable_if' compile_id='8' stamp='1.210'/>\n"
                        + "<nmethod compile_id='9' compile_kind='c2n' compiler='' level='0' size='5' stamp='1.3'/>\n"
                        + thread("C2 CompilerThread0", failed)
                        + TAIL);
        assertThat(all.total(Count.CODE_CACHE_FULL)).isEqualTo(1);
        assertThat(all.total(Count.COMPILER_OFF)).isEqualTo(1);
        assertThat(all.failures.sorted())
                .containsExactlyInAnyOrder("level 4: out of nodes", "not compilable at level 4: too big");
        assertThat(all.causes.sorted()).containsExactlyInAnyOrder("uncommon trap: constraint", "unstable_if");
        assertThat(all.total(Count.NATIVE)).isEqualTo(1);
        assertThat(all.compiled()).isEqualTo(1);
        assertThat(all.level(4).failed).isEqualTo(1);
    }

    @Test
    void reportsAWindowOnly() {
        String vm = HEAD
                + queued(1, "", 1, METHOD, "1.000")
                + nmethod(1, "", 1, METHOD, 2_000, "1.500")
                + queued(2, "", 1, "a.B in ()V", "4.900")
                + nmethod(2, "", 1, "a.B in ()V", 3_000, "5.900")
                + thread(
                        "C1 CompilerThread0",
                        task(1, "", 1, METHOD, "1.250", "1.500", INLINING)
                                + task(2, "", 1, "a.B in ()V", "5.200", "7.000", ""))
                + TAIL;
        Compilations all = read(new Window(5_000, 6_000), vm);
        assertThat(all.compiled()).isEqualTo(1);
        assertThat(all.total(Count.QUEUED)).isZero();
        assertThat(all.total(Count.INLINED)).isZero();
        assertThat(all.total(Count.C1_BUSY_MS)).isEqualTo(800);
        assertThat(all.timeline.sorted()).hasSize(1);
        CompileReport report = new CompileReport("sample.log", all, List.of(), null, 20);
        assertThat(TextReport.of(ReportSections.of(report))).contains("only events from second 5 to 6");
        assertThat(second(all, 5).longestWaitMs()).isEqualTo(300);
        assertThat(second(all, 5).waiting()).isZero();
    }

    @Test
    void cutsNamesThatWouldFillTheHeap() {
        String large = "x".repeat(60_000);
        Compilations all = read(
                Window.ALL,
                HEAD
                        + nmethod(1, "", 4, large + " a ()V", 9, "1.000")
                        + "<uncommon_trap thread='1' reason='" + large + "' action='a' compile_id='1' stamp='1'>\n"
                        + "<uncommon_trap thread='1' reason='b' action='" + large + "' compile_id='1' stamp='1'>\n"
                        + "<make_not_entrant thread='2' reason='" + large + "' compile_id='1' stamp='1'/>\n"
                        + thread(large, ""));
        assertThat(all.methods.all()).allMatch(row -> row.name.length() < 600);
        assertThat(all.traps.all())
                .hasSize(2)
                .allMatch(row -> row.name.length() + row.reason.length() + row.action.length() < 1_800);
        assertThat(all.causes.sorted()).allMatch(cause -> cause.length() < 600);
        assertThat(all.threads.keySet()).allMatch(name -> name.length() < 600);
    }

    @Test
    void givesTasksWithoutALevelToTheHighestOfTheVm() {
        String queued = queued(1, "", 1, METHOD, "1.000").replace(" level='1'", "");
        assertThat(read(Window.ALL, HEAD + queued).level(1).queued).isEqualTo(1);
        Compilations tiered = read(Window.ALL, HEAD + queued + nmethod(1, "", 4, METHOD, 9, "1.1"));
        assertThat(tiered.level(4).queued).isEqualTo(1);
        assertThat(tiered.level(1).queued).isZero();
    }
}

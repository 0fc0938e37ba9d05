package io.remora.compilelog;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** The tables of the report for people, which the text and the page share. */
final class ReportSections {
    private static final String METHOD = "method";
    private static final String COUNT = "count";

    private final CompileReport report;
    private final Compilations all;
    private final List<ReportSection> sections = new ArrayList<>();

    private ReportSections(CompileReport report) {
        this.report = report;
        all = report.all();
    }

    static List<ReportSection> of(CompileReport report) {
        ReportSections made = new ReportSections(report);
        made.addAll();
        return made.sections;
    }

    private void addAll() {
        sections.add(SummarySection.of(report));
        addLevels();
        addStorms();
        addLatency();
        addSeconds();
        addTraps();
        addReasons("Made not entrant", "Code that gets no new callers, by cause.", "cause", all.causes);
        addReasons("Failed compilations", "Compilations without code, by reason.", "reason", all.failures);
        addReasons("Inlined", "Call sites that were inlined, by reason.", "reason", all.inlined);
        addReasons("Not inlined", "Call sites that were not inlined, by reason.", "reason", all.notInlined);
        addCallees();
        addMethods();
    }

    private void add(ReportSection section) {
        if (!section.rows.isEmpty()) {
            sections.add(section);
        }
    }

    private void addLevels() {
        ReportSection section = new ReportSection(
                "Levels",
                "Level 1 is C1 without profiling, 2 and 3 are C1 with profiling, and 4 is C2.",
                1,
                "level",
                "queued",
                "compiled",
                "OSR",
                "failed",
                "code",
                "seconds",
                "longest",
                "longest compilation");
        for (int level = 1; level <= 4; level++) {
            LevelTotals totals = all.level(level);
            if (totals.queued + totals.compiled + totals.failed > 0) {
                section.row(
                        Integer.toString(level),
                        Figures.grouped(totals.queued),
                        Figures.grouped(totals.compiled),
                        Figures.some(totals.osr),
                        Figures.some(totals.failed),
                        Figures.bytes(totals.codeBytes),
                        Figures.seconds(totals.compileMs),
                        Figures.seconds(totals.longestMs),
                        totals.longestMethod);
            }
        }
        add(section);
    }

    private void addStorms() {
        ReportSection section = new ReportSection(
                "Storms",
                "Seconds in which a task that began had waited for " + Storms.WAIT_MS
                        + " ms, or the threads of a compiler were busy for half of the time.",
                1,
                "from s",
                "to s",
                "queued",
                "compiled",
                "OSR",
                "deopt.",
                "code",
                "C1 busy s",
                "C2 busy s",
                "waiting",
                "longest wait s",
                "p99 ms",
                "largest code");
        for (Storm storm : report.storms()
                .subList(0, Math.min(report.top(), report.storms().size()))) {
            Second total = storm.total;
            section.row(
                    Figures.grouped(total.start),
                    Figures.grouped(storm.end()),
                    Figures.some(total.get(Count.QUEUED)),
                    Figures.some(total.compiled()),
                    Figures.some(total.get(Count.OSR)),
                    Figures.some(total.get(Count.DEOPTIMIZED)),
                    Figures.bytes(total.get(Count.CODE_BYTES)),
                    Figures.someSeconds(total.get(Count.C1_BUSY_MS)),
                    Figures.someSeconds(total.get(Count.C2_BUSY_MS)),
                    Figures.some(total.waiting()),
                    Figures.someSeconds(total.longestWaitMs()),
                    storm.requests() == 0 ? "" : Figures.ms(storm.p99Ns()),
                    largest(total));
        }
        add(section);
    }

    private void addLatency() {
        LatencyReport latency = report.latency();
        if (latency == null) {
            return;
        }
        ReportSection section = new ReportSection(
                "Latency",
                "Requests in storms and outside of them, by the latency log.",
                1,
                "requests",
                "p50 ms",
                "p99 ms",
                "p999 ms",
                "max ms",
                "when");
        latency(section, "in storms", latency.inStorms);
        latency(section, "outside", latency.outside);
        add(section);
    }

    private static void latency(ReportSection section, String when, Histogram latencies) {
        if (latencies.getTotalCount() > 0) {
            section.row(
                    Figures.grouped(latencies.getTotalCount()),
                    Figures.ms(latencies.getValueAtPercentile(50)),
                    Figures.ms(latencies.getValueAtPercentile(99)),
                    Figures.ms(latencies.getValueAtPercentile(99.9)),
                    Figures.ms(latencies.getMaxValue()),
                    when);
        }
    }

    private void addSeconds() {
        List<Second> seconds = all.timeline.sorted();
        List<Second> shown = BusySeconds.of(seconds, 2 * report.top());
        String note = shown.size() == seconds.size()
                ? "Each second with an event."
                : "The " + shown.size() + " seconds with the most events of " + seconds.size() + ".";
        long width = all.timeline.width();
        ReportSection section = new ReportSection(
                "Seconds",
                width == 1 ? note : note + " A row stands for " + width + " s.",
                2,
                "s",
                "queued",
                "level 1",
                "2",
                "3",
                "4",
                "OSR",
                "failed",
                "deopt.",
                "not entrant",
                "code",
                "C1 busy",
                "C2 busy",
                "waiting",
                "longest wait s",
                "storm",
                "largest code");
        for (Second second : shown) {
            section.row(
                    Figures.grouped(second.start),
                    Figures.some(second.get(Count.QUEUED)),
                    Figures.some(second.get(Count.LEVEL_1)),
                    Figures.some(second.get(Count.LEVEL_2)),
                    Figures.some(second.get(Count.LEVEL_3)),
                    Figures.some(second.get(Count.LEVEL_4)),
                    Figures.some(second.get(Count.OSR)),
                    Figures.some(second.get(Count.FAILED)),
                    Figures.some(second.get(Count.DEOPTIMIZED)),
                    Figures.some(second.get(Count.NOT_ENTRANT)),
                    Figures.bytes(second.get(Count.CODE_BYTES)),
                    Figures.someSeconds(second.get(Count.C1_BUSY_MS)),
                    Figures.someSeconds(second.get(Count.C2_BUSY_MS)),
                    Figures.some(second.waiting()),
                    Figures.someSeconds(second.longestWaitMs()),
                    Storms.isIn(second, width) ? "storm" : "",
                    largest(second));
        }
        add(section);
    }

    private static String largest(Second second) {
        if (second.largest().isEmpty()) {
            return "";
        }
        MadeCode code = second.largest().get(0);
        return code.method() + " (level " + code.level() + (code.isOsr() ? ", OSR, " : ", ")
                + Figures.bytes(code.bytes()) + ")";
    }

    private void addTraps() {
        ReportSection section = new ReportSection(
                "Deoptimizations",
                "Places at which code returned to the interpreter.",
                3,
                COUNT,
                "first s",
                "last s",
                "bci",
                "reason",
                "action",
                METHOD);
        for (TrapRow trap : all.traps.top(report.top(), row -> row.count)) {
            section.row(
                    Figures.grouped(trap.count),
                    Figures.seconds(trap.firstMs),
                    Figures.seconds(trap.lastMs),
                    trap.bci < 0 ? "" : Long.toString(trap.bci),
                    trap.reason,
                    trap.action,
                    trap.method);
        }
        add(section);
    }

    private void addReasons(String title, String note, String header, ReasonCounts counts) {
        ReportSection section = new ReportSection(title, note, 1, COUNT, header);
        List<String> reasons = counts.sorted();
        for (String reason : reasons.subList(0, Math.min(report.top(), reasons.size()))) {
            section.row(Figures.grouped(counts.get(reason)), reason);
        }
        add(section);
    }

    private void addCallees() {
        ReportSection section = new ReportSection(
                "Methods that were not inlined",
                "Methods that compilers met at most call sites without inlining them, and the latest reason.",
                2,
                "not inlined",
                "inlined",
                "bytecodes",
                "reason",
                METHOD);
        for (CalleeRow callee : all.callees.top(report.top(), row -> row.notInlined)) {
            section.row(
                    Figures.grouped(callee.notInlined),
                    Figures.some(callee.inlined),
                    Figures.grouped(callee.bytecodes),
                    callee.reason,
                    callee.name);
        }
        add(section);
    }

    private void addMethods() {
        ReportSection section = new ReportSection(
                "Methods",
                "Methods with the most code.",
                1,
                "code",
                "compiled",
                "OSR",
                "failed",
                "deopt.",
                "not entrant",
                "seconds",
                "bytecodes",
                METHOD);
        for (MethodRow method : all.methods.top(report.top(), row -> row.codeBytes)) {
            section.row(
                    Figures.bytes(method.codeBytes),
                    Figures.grouped(method.compiled),
                    Figures.some(method.osr),
                    Figures.some(method.failed),
                    Figures.some(method.deoptimized),
                    Figures.some(method.notEntrant),
                    Figures.someSeconds(method.compileMs),
                    Figures.grouped(method.bytecodes),
                    method.name);
        }
        add(section);
    }
}

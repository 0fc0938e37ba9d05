package io.remora.compilelog;

import java.util.Map;

/** The first section of the report: the log, its completeness, and the totals. */
final class SummarySection {
    private SummarySection() {}

    static ReportSection of(CompileReport report) {
        Compilations all = report.all();
        LogFacts facts = all.facts;
        ReportSection section = new ReportSection("Compilation log", report.file(), 2);
        section.row(
                "log",
                Figures.bytes(facts.bytes()) + ", " + Figures.seconds(facts.lastMs()) + " s, process " + facts.process()
                        + (facts.hasStart() ? ", started " + facts.started() : ""));
        section.row("threads", threads(all.threads));
        section.row(
                "queued",
                Figures.grouped(all.total(Count.QUEUED)) + ", of which compile threads began "
                        + Figures.grouped(all.total(Count.STARTED)));
        section.row(
                "compiled",
                Figures.grouped(all.compiled()) + " (" + Figures.grouped(all.total(Count.OSR)) + " OSR, "
                        + Figures.grouped(all.total(Count.FAILED)) + " failed), "
                        + Figures.bytes(all.total(Count.CODE_BYTES)) + " of code, "
                        + Figures.grouped(all.total(Count.NATIVE)) + " native wrappers");
        section.row(
                "invalidated",
                Figures.grouped(all.total(Count.DEOPTIMIZED)) + " deoptimizations, "
                        + Figures.grouped(all.total(Count.NOT_ENTRANT)) + " made not entrant, "
                        + Figures.grouped(all.total(Count.FREED)) + " freed");
        section.row(
                "inlining",
                Figures.grouped(all.total(Count.INLINED)) + " call sites inlined, "
                        + Figures.grouped(all.total(Count.NOT_INLINED)) + " not");
        section.row("code cache", codeCache(all));
        section.row("storms", storms(report));
        addLimits(section, report);
        return section;
    }

    private static String threads(Map<String, Integer> threads) {
        if (threads.isEmpty()) {
            return "not in this log";
        }
        StringBuilder out = new StringBuilder();
        threads.forEach((name, starts) -> {
            out.append(out.length() == 0 ? "" : ", ").append(name);
            if (starts > 1) {
                out.append(" (").append(starts).append(" times)");
            }
        });
        return out.toString();
    }

    private static String codeCache(Compilations all) {
        long free = all.facts.leastFreeCode();
        return (free < 0
                        ? "free space not in this log"
                        : "least free space " + Figures.bytes(free) + " at "
                                + Figures.seconds(all.facts.leastFreeCodeMs()) + " s")
                + ", full " + all.total(Count.CODE_CACHE_FULL) + " times, compilers switched off "
                + all.total(Count.COMPILER_OFF) + " times";
    }

    private static String storms(CompileReport report) {
        Second busiest = Storms.busiest(report.all().timeline);
        String most = busiest == null
                ? ""
                : "; most code was installed in second " + busiest.start + " (" + Figures.grouped(busiest.compiled())
                        + ")";
        return report.storms().size() + most;
    }

    /** Adds what the report does not have, and why. */
    private static void addLimits(ReportSection section, CompileReport report) {
        Compilations all = report.all();
        if (!all.window.isAll()) {
            section.row("range", "only events " + all.window);
        }
        if (!all.facts.isComplete()) {
            section.row("incomplete", incomplete(all));
        }
        if (all.timeline.width() > 1) {
            section.row("coarse", "the log has so many seconds that a row stands for " + all.timeline.width());
        }
        long dropped = all.methods.dropped() + all.callees.dropped() + all.traps.dropped();
        if (dropped > 0) {
            section.row(
                    "dropped",
                    Figures.grouped(dropped)
                            + " rows of methods and traps with few events, to limit the memory; the totals have them");
        }
        LatencyReport latency = report.latency();
        if (latency != null && latency.notShown() > 0) {
            section.row(
                    "dropped",
                    Figures.grouped(latency.notShown()) + " intervals of the latency log from the time line");
        }
    }

    private static String incomplete(Compilations all) {
        String reason = "the log has no end, as the VM was killed or still runs";
        if (!all.threads.isEmpty() || all.threadFiles.isEmpty()) {
            return reason;
        }
        return reason + "; for compile times and inlining, add the logs of its compile threads: "
                + String.join(" ", all.threadFiles);
    }
}

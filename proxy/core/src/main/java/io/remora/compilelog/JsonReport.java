package io.remora.compilelog;

import io.remora.json.JsonWriter;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The report as one JSON object, with a line for each row of its lists. Times are milliseconds or seconds since the
 * start of the VM, as their keys say.
 */
final class JsonReport {
    private final CompileReport report;
    private final Compilations all;
    private final PrintStream out;

    private JsonReport(CompileReport report, PrintStream out) {
        this.report = report;
        all = report.all();
        this.out = out;
    }

    static void write(CompileReport report, PrintStream out) {
        new JsonReport(report, out).write();
    }

    private void write() {
        out.print("{\"log\":");
        out.print(JsonWriter.line(log()));
        out.print(",\n\"totals\":");
        out.print(JsonWriter.line(totals()));
        list("levels", levels(), row -> row);
        list("storms", report.storms(), this::storm);
        LatencyReport latency = report.latency();
        if (latency != null) {
            out.print(",\n\"latency\":");
            out.print(JsonWriter.line(object(
                    "in_storms", latencies(latency.inStorms),
                    "outside", latencies(latency.outside),
                    "not_shown", latency.notShown())));
            list("latency_intervals", latency.points, JsonReport::interval);
        }
        list("seconds", all.timeline.sorted(), this::second);
        list("deoptimizations", all.traps.top(report.top(), row -> row.count), JsonReport::trap);
        reasons("not_entrant", all.causes);
        reasons("failures", all.failures);
        reasons("inlined", all.inlined);
        reasons("not_inlined", all.notInlined);
        list("callees", all.callees.top(report.top(), row -> row.notInlined), JsonReport::callee);
        list("methods", all.methods.top(report.top(), row -> row.codeBytes), JsonReport::method);
        out.println("}");
    }

    private <T> void list(String key, List<T> rows, Function<T, Map<String, @Nullable Object>> line) {
        out.print(",\n\"" + key + "\":[");
        String before = "\n";
        for (T row : rows) {
            out.print(before);
            out.print(JsonWriter.line(line.apply(row)));
            before = ",\n";
        }
        out.print("]");
    }

    private void reasons(String key, ReasonCounts counts) {
        list(key, counts.sorted(), reason -> object("reason", reason, "count", counts.get(reason)));
    }

    /** Returns an object of keys and values by turns. */
    private static Map<String, @Nullable Object> object(@Nullable Object... pairs) {
        Map<String, @Nullable Object> made = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            made.put(String.valueOf(pairs[i]), pairs[i + 1]);
        }
        return made;
    }

    private Map<String, @Nullable Object> log() {
        LogFacts facts = all.facts;
        return object(
                "file",
                report.file(),
                "bytes",
                facts.bytes(),
                "process",
                facts.process(),
                "started",
                facts.hasStart() ? facts.started() : null,
                "last_ms",
                facts.lastMs(),
                "complete",
                facts.isComplete(),
                "range",
                all.window.isAll() ? null : all.window.toString(),
                "threads",
                new ArrayList<>(all.threads.keySet()),
                "thread_files",
                all.threadFiles,
                "least_free_code_bytes",
                facts.leastFreeCode() < 0 ? null : facts.leastFreeCode(),
                "seconds_per_row",
                all.timeline.width(),
                "dropped_rows",
                all.methods.dropped() + all.callees.dropped() + all.traps.dropped());
    }

    private Map<String, @Nullable Object> totals() {
        Map<String, @Nullable Object> totals = object("compiled", all.compiled());
        for (Count count : Count.values()) {
            if (count.isShown()) {
                totals.put(count.key, all.total(count));
            }
        }
        return totals;
    }

    private List<Map<String, @Nullable Object>> levels() {
        List<Map<String, @Nullable Object>> levels = new ArrayList<>();
        for (int level = 1; level <= 4; level++) {
            LevelTotals totals = all.level(level);
            levels.add(object(
                    "level", level,
                    "queued", totals.queued,
                    "compiled", totals.compiled,
                    "osr", totals.osr,
                    "failed", totals.failed,
                    "code_bytes", totals.codeBytes,
                    "compile_ms", totals.compileMs,
                    "longest_ms", totals.longestMs,
                    "longest_method", totals.longestMethod));
        }
        return levels;
    }

    private Map<String, @Nullable Object> storm(Storm storm) {
        Map<String, @Nullable Object> row = counts(storm.total);
        row.put("end", storm.end());
        if (storm.requests() > 0) {
            row.put("requests", storm.requests());
            row.put("p99_ns", storm.p99Ns());
            row.put("max_ns", storm.maxNs());
        }
        return row;
    }

    private Map<String, @Nullable Object> second(Second second) {
        Map<String, @Nullable Object> row = counts(second);
        row.put("storm", Storms.isIn(second, all.timeline.width()));
        return row;
    }

    private static Map<String, @Nullable Object> counts(Second second) {
        Map<String, @Nullable Object> row = object("start", second.start);
        for (Count count : Count.values()) {
            if (count.isShown() && second.get(count) != 0) {
                row.put(count.key, second.get(count));
            }
        }
        row.put("waiting", second.waiting());
        row.put("longest_wait_ms", second.longestWaitMs());
        List<Object> largest = new ArrayList<>();
        for (MadeCode code : second.largest()) {
            largest.add(object(
                    "method", code.method(), "level", code.level(), "osr", code.isOsr(), "code_bytes", code.bytes()));
        }
        row.put("largest", largest);
        return row;
    }

    private static Map<String, @Nullable Object> latencies(Histogram latencies) {
        return object(
                "requests", latencies.getTotalCount(),
                "p50_ns", latencies.getValueAtPercentile(50),
                "p99_ns", latencies.getValueAtPercentile(99),
                "p999_ns", latencies.getValueAtPercentile(99.9),
                "max_ns", latencies.getMaxValue());
    }

    private static Map<String, @Nullable Object> interval(LatencyPoint point) {
        return object(
                "from_ms", point.fromMs(),
                "to_ms", point.toMs(),
                "requests", point.count(),
                "p50_ns", point.p50Ns(),
                "p99_ns", point.p99Ns(),
                "max_ns", point.maxNs());
    }

    private static Map<String, @Nullable Object> trap(TrapRow trap) {
        return object(
                "reason", trap.reason,
                "action", trap.action,
                "method", trap.method,
                "bci", trap.bci < 0 ? null : trap.bci,
                "count", trap.count,
                "first_ms", trap.firstMs,
                "last_ms", trap.lastMs);
    }

    private static Map<String, @Nullable Object> callee(CalleeRow callee) {
        return object(
                "method", callee.name,
                "bytecodes", callee.bytecodes,
                "inlined", callee.inlined,
                "not_inlined", callee.notInlined,
                "reason", callee.reason);
    }

    private static Map<String, @Nullable Object> method(MethodRow method) {
        return object(
                "method", method.name,
                "bytecodes", method.bytecodes,
                "queued", method.queued,
                "compiled", method.compiled,
                "osr", method.osr,
                "failed", method.failed,
                "code_bytes", method.codeBytes,
                "compile_ms", method.compileMs,
                "deoptimized", method.deoptimized,
                "not_entrant", method.notEntrant);
    }
}

package io.remora.compilelog;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The command {@code remora compile-log}: it reads compilation logs, and writes a report. */
public final class CompileLogCommand {
    private final CompileLogOptions options;

    private CompileLogCommand(CompileLogOptions options) {
        this.options = options;
    }

    /** Returns the command of a command line, whose first word is {@code compile-log}; null if it is none. */
    public static @Nullable CompileLogCommand of(String[] arguments) {
        CompileLogOptions options = CompileLogOptions.of(arguments);
        return options == null ? null : new CompileLogCommand(options);
    }

    /**
     * Runs the command; returns false after it has reported a malformed line.
     *
     * @throws IOException if a file cannot be read or written
     */
    public boolean run(InputStream in, PrintStream out, PrintStream err) throws IOException {
        try {
            CompileReport report = read(in);
            List<ReportSection> sections = ReportSections.of(report);
            if (options.html() != null) {
                Files.writeString(Path.of(options.html()), HtmlReport.of(report, sections));
            }
            PrintStream text = new PrintStream(new BufferedOutputStream(out), false, StandardCharsets.UTF_8);
            if (options.isJson()) {
                JsonReport.write(report, text);
            } else {
                text.print(TextReport.of(sections));
            }
            text.flush();
            return true;
        } catch (MalformedLogException e) {
            err.println("remora: " + e.getMessage());
            return false;
        }
    }

    private CompileReport read(InputStream in) throws IOException {
        Compilations all = new Compilations(options.window());
        LogReader reader = new LogReader(all);
        for (String file : options.files()) {
            if (file.equals("-")) {
                reader.read(in, "<stdin>");
            } else {
                try (InputStream opened = open(file)) {
                    reader.read(opened, file);
                }
            }
        }
        all.settle();
        List<Storm> storms = Storms.find(all.timeline);
        LatencyReport latency = latency(all.facts, storms);
        return new CompileReport(String.join(" ", options.files()), all, storms, latency, options.top());
    }

    private @Nullable LatencyReport latency(LogFacts facts, List<Storm> storms) throws IOException {
        String file = options.latency();
        if (file == null) {
            return null;
        }
        if (!facts.hasStart()) {
            throw new MalformedLogException(
                    options.files().get(0), 1, "no start time to align latencies with; add the log of the VM in front");
        }
        LatencyReader reader = new LatencyReader(file, options.tag(), facts.startedMs(), options.window(), storms);
        try (InputStream opened = open(file)) {
            return reader.read(opened);
        }
    }

    private static InputStream open(String file) throws IOException {
        Path path = Path.of(file);
        if (!Files.isReadable(path)) {
            throw new IOException(file + ": no such file, or no permission to read it");
        }
        return Files.newInputStream(path);
    }
}

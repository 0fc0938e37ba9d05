package io.remora.compilelog;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** Short logs in the format of JDK 17, and reports of them. */
final class SampleLog {
    static final long START_MS = 1_767_323_045_000L;

    static final String HEAD = """
        <?xml version='1.0' encoding='UTF-8'?>
        <hotspot_log version='160 1' process='7' time_ms='1767323045000'>
        <vm_arguments>
        <args>
        -Dtext=&lt;task_queued/&gt;
        </args>
        </vm_arguments>
        <tty>
        """;

    static final String TAIL = """
        <hotspot_log_done stamp='9.000'/>
        </hotspot_log>
        """;

    private SampleLog() {}

    static String queued(int id, String kind, int level, String method, String stamp) {
        return "<task_queued compile_id='" + id + "'" + kind + " method='" + method
                + "' bytes='40' count='200' iicount='200' level='" + level + "' stamp='" + stamp
                + "' comment='tiered' hot_count='200'/>\n";
    }

    static String nmethod(int id, String kind, int level, String method, int size, String stamp) {
        return "<nmethod compile_id='" + id + "'" + kind + " compiler='" + (level == 4 ? "C2" : "C1") + "' level='"
                + level + "' entry='0x00007f0000000000' size='" + size + "' address='0x00007f0000000000' method='"
                + method + "' bytes='40' count='200' iicount='200' stamp='" + stamp + "'/>\n";
    }

    static String task(int id, String kind, int level, String method, String from, String to, String content) {
        return "<task compile_id='" + id + "'" + kind + " method='" + method
                + "' bytes='40' count='200' iicount='200' level='" + level + "' stamp='" + from + "'>\n" + content
                + "<task_done success='1' nmsize='900' count='200' stamp='" + to + "'/>\n</task>\n";
    }

    static String thread(String name, String content) {
        return "<compilation_log thread='11'>\n<start_compile_thread name='" + name
                + "' thread='11' process='7' stamp='0.010'/>\n" + content + "</compilation_log>\n";
    }

    static Compilations read(Window window, String... logs) {
        try {
            Compilations all = new Compilations(window);
            LogReader reader = new LogReader(all);
            for (String log : logs) {
                reader.read(new ByteArrayInputStream(log.getBytes(StandardCharsets.UTF_8)), "sample.log");
            }
            all.settle();
            return all;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static CompileReport report(String log) {
        Compilations all = read(Window.ALL, log);
        return new CompileReport("sample.log", all, Storms.find(all.timeline), null, 20);
    }

    /** Returns a JSON object of a report. */
    @SuppressWarnings("unchecked")
    static Map<String, Object> object(Object json) {
        return (Map<String, Object>) json;
    }

    static Second second(Compilations all, long start) {
        List<Second> seconds = all.timeline.sorted();
        return seconds.stream()
                .filter(second -> second.start == start)
                .findFirst()
                .orElseThrow();
    }
}

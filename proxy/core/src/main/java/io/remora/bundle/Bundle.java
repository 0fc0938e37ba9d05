package io.remora.bundle;

import io.remora.adminclient.AdminClient;
import io.remora.log.UtcTime;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The contents of a support bundle, collected from the pages of a sidecar. Each file is filtered by what may be shown, before it is kept.
 *
 * <p>Owner: the command. Bounds: 8 MiB of a log, from its end.
 */
final class Bundle {
    private static final int MAX_LOG_BYTES = 8 << 20;
    private static final int MS_PER_S = 1_000;

    private final AdminClient client;
    private final BundleOptions options;
    /** Contents by name, in the order of the list. */
    private final Map<String, String> files = new LinkedHashMap<>();

    private final StringBuilder problems = new StringBuilder();
    private final SafeConfig config;
    private final SafeMetrics metrics;

    /**
     * Reads what the filters need.
     *
     * @throws IOException where the sidecar does not answer
     */
    Bundle(AdminClient client, BundleOptions options) throws IOException {
        this.client = client;
        this.options = options;
        this.config = SafeConfig.of(client.get("/config"));
        this.metrics = new SafeMetrics(config.names());
    }

    /** Returns the files that the bundle will have, a line each, with what is in them. */
    String list() {
        StringBuilder text = new StringBuilder();
        line(text, "manifest.txt", "these lines, with the time, and what could not be read");
        line(text, "versions.txt", "the sidecar, the JVM and the kernel, of the sidecar and of this command");
        line(
                text,
                "config.yaml",
                "the effective configuration by an allow-list of keys; " + config.leftOut() + " values left out");
        int scrapes = options.scrapes();
        line(
                text,
                "metrics/",
                scrapes == 1
                        ? "one scrape"
                        : scrapes + " scrapes, one each " + options.intervalS() + " s for " + options.timeS() + " s");
        line(text, "memory.txt", "memory by kind, in bytes");
        line(text, "peaks.txt", "peaks of traffic and memory by hour");
        line(text, "threads.txt", "threads with their stacks, without values");
        line(
                text,
                "limits.txt",
                "limits of this command's cgroup and process, which are the sidecar's in its container");
        line(text, "state.txt", "live, ready, and the levels of the log");
        String log = options.log();
        line(
                text,
                "log.txt",
                log == null
                        ? "not in the bundle: the sidecar keeps no lines; --log FILE adds what its standard error was written to"
                        : "the lines of the file in --log, in the sidecar's own words");
        return text.append("No environment, files of keys, query strings or values of fields are read.\n")
                .toString();
    }

    private static void line(StringBuilder text, String name, String what) {
        text.append("  ").append(name);
        for (int i = name.length(); i < 14; i++) {
            text.append(' ');
        }
        text.append(what).append('\n');
    }

    /** Collects all files, which takes the time of the options. Progress goes to {@code err}. */
    Map<String, String> collect(String version, PrintStream err) throws InterruptedException {
        long startMs = System.currentTimeMillis();
        files.put("manifest.txt", "");
        files.put("versions.txt", "");
        files.put("config.yaml", config.text());
        page("memory.txt", "/memory");
        page("peaks.txt", "/peaks");
        files.computeIfPresent("peaks.txt", (name, text) -> peaks(text));
        page("threads.txt", "/threads?stacks=true");
        files.computeIfPresent("threads.txt", (name, text) -> SafeThreads.of(text, config.names()));
        files.put("limits.txt", Cgroup.text());
        files.put("state.txt", "live: " + answer("/live") + "ready: " + answer("/ready") + answer("/log-level"));
        log();
        String first = scrape(err);
        files.put("versions.txt", versions(version, first));
        StringBuilder manifest = new StringBuilder("begun ");
        UtcTime.appendIso(manifest, startMs);
        manifest.append("\nended ");
        UtcTime.appendIso(manifest, System.currentTimeMillis());
        manifest.append('\n').append(list());
        manifest.append(metrics.hidden()).append(" values of labels are numbers, as users or clients choose them\n");
        files.put("manifest.txt", manifest.append(problems).toString());
        return files;
    }

    private void page(String name, String page) {
        try {
            files.put(name, client.get(page));
        } catch (IOException e) {
            problem(name, e);
        }
    }

    // image and profile are words of the log as well; a profile may be a file of the user's own
    private String peaks(String page) {
        StringBuilder shown = new StringBuilder(page.length());
        int at = 0;
        while (at < page.length()) {
            int end = page.indexOf('\n', at);
            end = end < 0 ? page.length() : end;
            int blank = page.indexOf(' ', at);
            String value = page.substring(Math.min(blank < 0 ? end : blank + 1, end), end);
            boolean named = page.startsWith("image ", at) || page.startsWith("profile ", at);
            boolean hidden = named && !SafeValue.isWord(value);
            if (named && !hidden) {
                config.names().add(value);
            }
            shown.append(page, at, hidden ? blank + 1 : end)
                    .append(hidden ? SafeConfig.OUT : "")
                    .append('\n');
            at = end + 1;
        }
        return shown.toString();
    }

    // an answer of one line, such as "not ready", is the state; what else it says may name anything
    private String answer(String page) {
        try {
            String text = client.get(page);
            int end = text.indexOf(';');
            return end < 0 ? text : text.substring(0, end) + '\n';
        } catch (AdminClient.PageException e) {
            return "status " + e.status() + '\n';
        } catch (IOException e) {
            problem("state.txt", e);
            return "no answer\n";
        }
    }

    private void problem(String name, IOException e) {
        problems.append(name)
                .append(" lacks a part: ")
                .append(e.getClass().getSimpleName())
                .append('\n');
    }

    private void log() {
        String log = options.log();
        if (log == null) {
            return;
        }
        try {
            byte[] all = Files.readAllBytes(Path.of(log));
            int from = Math.max(0, all.length - MAX_LOG_BYTES);
            String text = new String(all, from, all.length - from, StandardCharsets.UTF_8);
            files.put("log.txt", new SafeLog(Vocabulary.ofThisJar(), config.names()).of(text));
        } catch (IOException e) {
            problem("log.txt", e);
        }
    }

    // returns the first page, which has the versions
    private String scrape(PrintStream err) throws InterruptedException {
        String first = "";
        long beginNs = System.nanoTime();
        int scrapes = options.scrapes();
        for (int i = 0; i < scrapes; i++) {
            long dueMs = (long) i * options.intervalS() * MS_PER_S;
            long passedMs = (System.nanoTime() - beginNs) / 1_000_000;
            if (dueMs > passedMs) {
                Thread.sleep(dueMs - passedMs);
            }
            String name = "metrics/" + (1_000 + i + 1 + "").substring(1) + ".txt";
            try {
                StringBuilder page = new StringBuilder("# ");
                UtcTime.appendIso(page, System.currentTimeMillis());
                String text = client.get("/metrics");
                first = first.isEmpty() ? text : first;
                files.put(name, page.append('\n').append(metrics.of(text)).toString());
            } catch (IOException e) {
                problem(name, e);
            }
            if (scrapes > 1) {
                err.println("remora: scrape " + (i + 1) + " of " + scrapes);
            }
        }
        return first;
    }

    private static String versions(String own, String metrics) {
        StringBuilder text = new StringBuilder();
        int info = metrics.indexOf("remora_build_info{");
        int end = metrics.indexOf('\n', Math.max(0, info));
        text.append("sidecar: ").append(info < 0 || end < 0 ? "unknown" : metrics.substring(info, end));
        text.append("\ncommand: ").append(own);
        text.append("\njava of the command: ").append(Runtime.version());
        for (String property : new String[] {"java.vm.name", "os.name", "os.version", "os.arch"}) {
            text.append('\n')
                    .append(property)
                    .append(" of the command: ")
                    .append(System.getProperty(property, "unknown"));
        }
        return text.append('\n').toString();
    }

    /** Returns what could not be read; empty if all could. */
    @Nullable
    String problems() {
        return problems.length() == 0 ? null : problems.toString();
    }
}

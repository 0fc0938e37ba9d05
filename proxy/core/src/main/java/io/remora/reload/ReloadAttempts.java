package io.remora.reload;

import io.remora.check.ConfigCheck;
import io.remora.check.Overrides;
import io.remora.config.model.ConfigException;
import io.remora.config.model.ProxyConfig;
import io.remora.config.yaml.ConfigReader;
import io.remora.discovery.ResolverCheck;
import io.remora.feature.Features;
import io.remora.log.Log;
import io.remora.memory.MemoryPlan;
import io.remora.serving.Memory;
import io.remora.serving.ProcessFiles;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reloads of the configuration from its file: each attempt reads the file, checks it as {@code remora check} does, and
 * applies it. A bad one changes nothing.
 *
 * <p>Thread safe: one attempt at a time.
 */
final class ReloadAttempts {
    private static final int GOOD = 200;
    private static final int IMPOSSIBLE = 400;
    private static final int BAD = 422;
    /** Most lines of one attempt in the log. */
    private static final int MAX_LOGGED = 20;

    private final Reloadable proxy;
    private final ProcessFiles files;
    private final String file;
    private final @Nullable Overrides chosen;
    /** The heap that the start has reserved for features. */
    private final long featureBytes;

    /** Held during an attempt. */
    private final Object attempting = new Object();

    ReloadAttempts(Reloadable proxy, ProcessFiles files, String file, @Nullable Overrides chosen) {
        this.proxy = proxy;
        this.files = files;
        this.file = file;
        this.chosen = chosen;
        // only reloads by this change it, so that it is still the start's
        this.featureBytes = Features.heapBytes(proxy.config());
    }

    /** Returns whether the configuration that holds wants its file watched. */
    boolean watches() {
        return proxy.config().watch();
    }

    Result attempt() {
        synchronized (attempting) {
            if (proxy.isDraining()) {
                return refused(IMPOSSIBLE, "the sidecar is draining\n");
            }
            if (!ConfigReader.nameOf(file).equals(file)) {
                return refused(
                        IMPOSSIBLE, "the configuration was read from standard input, which cannot be read again\n");
            }
            try {
                return apply(judge());
            } catch (ConfigException e) {
                return refused(BAD, e.getMessage() + "\n");
            } catch (IOException e) {
                return refused(BAD, e.getMessage() + "\n");
            } catch (RuntimeException | Error e) {
                return refused(BAD, "remora: internal error: " + e + "\n");
            } finally {
                files.forgetJudged();
            }
        }
    }

    /** Applies what was judged before; a failure is logged. */
    void use(ProxyConfig read) {
        synchronized (attempting) {
            try {
                // a look at the start finds what the start has read
                if (!read.over(proxy.config()).equals(proxy.config())) {
                    apply(read);
                }
            } catch (IOException e) {
                refused(BAD, e.getMessage() + "\n");
            } catch (RuntimeException | Error e) {
                refused(BAD, "remora: internal error: " + e + "\n");
            } finally {
                files.forgetJudged();
            }
        }
    }

    /** Releases what was judged and is not to be applied. */
    void forget() {
        synchronized (attempting) {
            files.forgetJudged();
        }
    }

    /** Records that the file is refused. */
    Result refused(int status, String text) {
        synchronized (attempting) {
            proxy.attempted(false, "refused:\n" + text);
            Log.warn("reload: " + file + " rejected; keeping generation "
                    + proxy.configState().generation());
            log(text, true);
            return new Result(status, text);
        }
    }

    /**
     * Reads and checks the file.
     *
     * @throws ConfigException with all problems that can be found at once
     */
    ProxyConfig judge() throws ConfigException, IOException {
        ProxyConfig read = ConfigCheck.read(file, chosen);
        throwIfAny(ConfigCheck.refusals(file, read));
        ProxyConfig running = proxy.config();
        ProxyConfig next = read.over(running);
        if (read.engine() != running.engine()) {
            // it is still this one that has to do it
            throwIfAny(ConfigCheck.refusals(file, next));
        }
        ConfigCheck.judgeTls(file, read, files);
        if (read.hasResolver()) {
            ResolverCheck.judge(read);
        }
        String problem = ConfigChanges.announced(running, next);
        problem = problem == null ? memory(next) : problem;
        if (problem != null) {
            throw new IOException(problem);
        }
        return read;
    }

    private static void throwIfAny(List<String> problems) throws IOException {
        if (!problems.isEmpty()) {
            StringBuilder text = new StringBuilder();
            for (String problem : problems) {
                text.append(text.isEmpty() ? "" : "\n").append(problem);
            }
            throw new IOException(text.toString());
        }
    }

    /** Returns why the memory, as it was divided at the start, does not suffice; null where it does. */
    private @Nullable String memory(ProxyConfig next) {
        MemoryPlan running = proxy.plan();
        // tables that stay are not made a second time, so that more of them may fit than a start would grant
        boolean fits = Features.heapBytes(proxy.config(), next) <= featureBytes;
        MemoryPlan plan = MemoryPlan.of(
                running.limit(),
                next.workers(),
                Memory.costs(next, files, fits ? featureBytes : Features.heapBytes(next)),
                running.receiveBytes());
        String problem = Memory.problem(plan, next);
        if (problem == null) {
            // which it is that is divided: without TLS there would be room for more by now
            problem = Memory.problem(running, next);
        }
        if (problem == null
                && running.limit().bytes() > 0
                && (plan.connections() < running.connections() || plan.exchanges() < running.exchanges())) {
            return "memory: it was divided at the start among connections that cost less, without TLS, HTTP/2, tracing"
                    + " or such rate limits; restart the process";
        }
        return problem;
    }

    private Result apply(ProxyConfig read) throws IOException {
        ProxyConfig running = proxy.config();
        ProxyConfig next = read.over(running);
        proxy.replace(next);
        if (running.logLevel() != next.logLevel() || !running.logComponents().equals(next.logComponents())) {
            Log.levels(next.logLevel(), next.logComponents());
        }
        String changes = ConfigChanges.text(running, read, next);
        proxy.attempted(true, "taken:\n" + changes);
        String text = "generation " + proxy.configState().generation() + "\n" + changes;
        Log.info("reload: " + file + " loaded; running generation "
                + proxy.configState().generation());
        log(changes, false);
        return new Result(GOOD, text);
    }

    private static void log(String text, boolean bad) {
        int from = 0;
        for (int lines = 0; from < text.length(); lines++) {
            if (lines == MAX_LOGGED) {
                Log.info("reload: more changes; see /config");
                return;
            }
            int end = text.indexOf('\n', from);
            String line = text.substring(from, end < 0 ? text.length() : end);
            from = end < 0 ? text.length() : end + 1;
            if (bad) {
                Log.warn(line);
            } else {
                Log.info(line);
            }
        }
    }

    /** The answer to a request to reload: its status and text. */
    record Result(int status, String text) {}
}

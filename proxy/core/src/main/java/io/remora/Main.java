package io.remora;

import io.remora.check.ConfigCheck;
import io.remora.check.Overrides;
import io.remora.config.model.ConfigException;
import io.remora.config.model.Problem;
import io.remora.config.model.ProxyConfig;
import io.remora.config.yaml.ConfigReader;
import io.remora.discovery.ResolverCheck;
import io.remora.log.Log;
import io.remora.memory.MemoryPlan;
import io.remora.memory.NativePages;
import io.remora.serving.Memory;
import io.remora.serving.ProcessFiles;
import io.remora.serving.Seams;
import io.remora.takeover.InheritedSockets;
import io.remora.takeover.ServiceManager;
import io.remora.vmflags.UserFlags;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The command line: arguments, configuration, {@link Proxy#start}, wait for a signal, drain.
 *
 * <p>The other commands are in {@link Commands}.
 */
public final class Main {
    /** Time after the end of the drain's time, in which the exchanges cut then are counted and logged. */
    private static final long AFTER_CUT_MS = 500;

    private static final String TAKEOVER = "--takeover";
    /** The options that take precedence over the file; all commands but {@code run} have the first alone. */
    private static final String[] OVERRIDES = {
        Overrides.ENGINE, Overrides.HEALTH, Overrides.ADMIN, Overrides.PROBES, Overrides.LEVEL
    };

    private Main() {}

    /** Ends the process with the command's status. */
    public static void main(String[] arguments) {
        int status;
        try {
            status = run(arguments);
        } catch (ConfigException e) {
            for (Problem problem : e.problems()) {
                System.err.println(problem);
            }
            status = ExitStatus.USAGE;
        } catch (IOException e) {
            System.err.println("remora: " + e.getMessage());
            status = ExitStatus.UNAVAILABLE;
        } catch (InterruptedException e) {
            status = ExitStatus.OK;
        } catch (RuntimeException | Error e) {
            System.err.println("remora: internal error: " + e);
            status = ExitStatus.SOFTWARE;
        }
        // halt, not exit: everything is closed by now, and the signals' own exit would wait for itself
        Log.drain();
        System.out.flush();
        Runtime.getRuntime().halt(status);
    }

    private static int run(String[] given) throws ConfigException, IOException, InterruptedException {
        String command = given.length == 0 ? "" : given[0];
        boolean runs = command.equals("run");
        String[] arguments = given;
        Map<String, String> words = new HashMap<>();
        for (String option : runs ? OVERRIDES : new String[] {Overrides.ENGINE}) {
            String word = valueOf(arguments, option);
            if (word != null) {
                words.put(option, word);
                arguments = without(arguments, option);
            }
        }
        Overrides chosen;
        try {
            chosen = words.isEmpty() ? null : Overrides.of(words);
        } catch (IllegalArgumentException e) {
            System.err.println("remora: " + e.getMessage());
            return ExitStatus.USAGE;
        }
        boolean takeover = runs && Arrays.asList(arguments).contains(TAKEOVER);
        if (takeover) {
            arguments = without(arguments, Arrays.asList(arguments).indexOf(TAKEOVER), 1);
        }
        if (runs && arguments.length == 3 && arguments[1].equals("--config")) {
            ProxyConfig config = ConfigCheck.read(arguments[2], chosen);
            if (!suits(arguments[2], config)) {
                return ExitStatus.USAGE;
            }
            ProcessFiles files = new ProcessFiles();
            ConfigCheck.judgeTls(arguments[2], config, files);
            if (takeover && !config.options().has(ProxyConfig.TAKEOVER)) {
                System.err.println(
                        ConfigReader.nameOf(arguments[2]) + ": " + TAKEOVER + " without takeover.socket in the file");
                return ExitStatus.USAGE;
            }
            return serve(config, files, new Seams(), arguments[2], chosen, takeover);
        }
        if (command.equals("check") && arguments.length == 2) {
            ProxyConfig config = ConfigCheck.read(arguments[1], chosen);
            if (!suits(arguments[1], config)) {
                return ExitStatus.USAGE;
            }
            for (String warning : ConfigCheck.warnings(arguments[1], config)) {
                System.err.println(warning);
            }
            ProcessFiles files = new ProcessFiles();
            String certificates = ConfigCheck.judgeTls(arguments[1], config, files);
            if (config.hasResolver()) {
                ResolverCheck.judge(config);
            }
            if (!fits(plan(config, files), config)) {
                return ExitStatus.UNFIT;
            }
            System.out.print(certificates);
            System.out.println(ConfigReader.nameOf(arguments[1]) + ": ok");
            return ExitStatus.OK;
        }
        return Commands.run(command, given);
    }

    private static MemoryPlan plan(ProxyConfig config, ProcessFiles files) {
        ConfigCheck.prepareNetty();
        return Memory.plan(config, files);
    }

    /** Returns whether the limits in the configuration fit the memory; prints the problem where they do not. */
    private static boolean fits(MemoryPlan plan, ProxyConfig config) {
        String problem = Memory.problem(plan, config);
        if (problem != null) {
            System.err.println("remora: " + problem);
        }
        return problem == null;
    }

    /** Runs a sidecar until a signal ends it; returns the process's status. */
    static int serve(
            ProxyConfig config, ProcessFiles files, Seams seams, String file, @Nullable Overrides chosen, boolean asked)
            throws IOException, InterruptedException {
        // before a loop is there that must not wait for standard error
        Log.queue();
        if (hasFlags(UserFlags.OWN) || hasFlags(UserFlags.JDK)) {
            UserFlags.check();
        }
        MemoryPlan plan = plan(config, files);
        if (!fits(plan, config)) {
            return ExitStatus.UNFIT;
        }
        CountDownLatch end = new CountDownLatch(1);
        // before anything is bound: a signal that comes early ends the start in order
        Signals signals = Signals.onEnd(end);
        Takeover takeover = hasTakeover(config) ? new Takeover(config, plan) : null;
        if (takeover != null && !takeover.begin(asked)) {
            return ExitStatus.UNFIT;
        }
        // what the start of the JVM has read, so that it is gone before the rest is there
        NativePages.dropFiles();
        if (NativePages.isAnother()) {
            Log.warn("native: version of libremora.so differs from the jar; running without it");
        }
        Proxy proxy = Proxy.start(config, plan, files, seams, takeover == null ? null : takeover.given(), end);
        if (takeover != null) {
            follow(takeover, proxy);
        }
        proxy.reloadFrom(file, chosen);
        signals.onHangUp(proxy);
        NativePages.dropFiles();
        if (plan.limit().isLow()) {
            NativePages.readSingly();
        }
        // a manager waits for it, even if a drain has begun since
        if (takeover != null && proxy.hasBegun()) {
            takeover.ready(proxy);
        }
        proxy.awaitShutdown();
        if (takeover != null) {
            takeover.end();
        }
        proxy.drain();
        proxy.awaitDrained(TimeUnit.NANOSECONDS.toMillis(config.drainTimeoutNs()) + AFTER_CUT_MS);
        signals.yieldToSecond();
        proxy.close();
        proxy.tellDrained();
        Log.info("stopped");
        return ExitStatus.OK;
    }

    private static void follow(Takeover takeover, Proxy proxy) throws IOException {
        boolean followed = false;
        try {
            takeover.follow(proxy);
            followed = true;
        } finally {
            if (!followed) {
                proxy.close();
            }
        }
    }

    /** Returns the word behind an option, null where there is no such option, or no word. */
    private static @Nullable String valueOf(String[] all, String option) {
        int at = Arrays.asList(all).indexOf(option);
        return at > 0 && at + 1 < all.length ? all[at + 1] : null;
    }

    private static String[] without(String[] all, String option) {
        int at = Arrays.asList(all).indexOf(option);
        return without(all, at, 2);
    }

    private static String[] without(String[] all, int from, int count) {
        String[] left = new String[all.length - count];
        System.arraycopy(all, 0, left, 0, from);
        System.arraycopy(all, from + count, left, from, left.length - from);
        return left;
    }

    /** Returns whether the engine supports the configuration; prints each refusal where it does not. */
    private static boolean suits(String file, ProxyConfig config) throws ConfigException, IOException {
        List<String> refusals = ConfigCheck.refusals(file, config);
        for (String refusal : refusals) {
            System.err.println(refusal);
        }
        return refusals.isEmpty();
    }

    // names that are compiled in, so that none of the classes is loaded that they are of
    private static boolean hasTakeover(ProxyConfig config) {
        return config.options().has(ProxyConfig.TAKEOVER)
                || System.getenv(ServiceManager.SOCKET) != null
                || System.getenv(InheritedSockets.COUNT) != null;
    }

    // likewise
    private static boolean hasFlags(String variable) {
        String words = System.getenv(variable);
        return words != null && words.contains("-X");
    }
}

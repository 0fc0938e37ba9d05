package io.remora;

import io.remora.cluster.EngineProvider;
import io.remora.config.ConfigException;
import io.remora.config.ConfigReader;
import io.remora.config.EngineKind;
import io.remora.config.ListenerConfig;
import io.remora.config.NettyRefusals;
import io.remora.config.PathConfig;
import io.remora.config.Problem;
import io.remora.config.ProxyConfig;
import io.remora.config.ResolverCheck;
import io.remora.log.Log;
import io.remora.log.NettyLogging;
import io.remora.memory.MemoryPlan;
import io.remora.memory.NativePages;
import io.remora.takeover.InheritedSockets;
import io.remora.takeover.ServiceManager;
import io.remora.transport.Descriptors;
import io.remora.transport.OriginalDestination;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The command line: arguments, configuration, {@link Proxy#start}, wait for a signal, drain.
 *
 * <p>Exit statuses are those of BSD's sysexits: 64 for a wrong command line or configuration, 69 for an address, name
 * or file that cannot be had, 70 for a fault of our own, 78 for a configuration that the memory at hand cannot hold.
 */
public final class Main {
    private static final int OK = 0;
    private static final int USAGE = 64;
    private static final int UNAVAILABLE = 69;
    private static final int SOFTWARE = 70;
    private static final int UNFIT = 78;
    /** What is cut at the end of the drain's time still has to be counted and logged. */
    private static final long AFTER_CUT_MS = 500;

    private static final String TAKEOVER = "--takeover";

    private static final String HELP = """
            usage: remora run [--rps N] [--engine E] [--takeover] --config FILE
                                                                 start the sidecar for N requests a second ('-' reads standard input)
                   remora check [--engine E] FILE                    judge a configuration and bind nothing
                   remora version""";

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
            status = USAGE;
        } catch (IOException e) {
            System.err.println("remora: " + e.getMessage());
            status = UNAVAILABLE;
        } catch (InterruptedException e) {
            status = OK;
        } catch (RuntimeException | Error e) {
            System.err.println("remora: internal error: " + e);
            status = SOFTWARE;
        }
        // halt, not exit: everything is closed by now, and the signals' own exit would wait for itself
        Log.drain();
        System.out.flush();
        Runtime.getRuntime().halt(status);
    }

    private static int run(String[] given) throws ConfigException, IOException, InterruptedException {
        String command = given.length == 0 ? "" : given[0];
        int at = Arrays.asList(given).indexOf("--engine");
        boolean chosen = at > 0 && at + 1 < given.length;
        EngineKind engine = chosen ? EngineKind.of(given[at + 1]) : null;
        if (chosen && engine == null) {
            System.err.println("remora: engine is '" + given[at + 1] + "', expected netty or finagle");
            return USAGE;
        }
        String[] arguments = chosen ? without(given, at, 2) : given;
        boolean takeover = command.equals("run") && Arrays.asList(arguments).contains(TAKEOVER);
        if (takeover) {
            arguments = without(arguments, Arrays.asList(arguments).indexOf(TAKEOVER), 1);
        }
        if (command.equals("run") && arguments.length == 3 && arguments[1].equals("--config")) {
            ProxyConfig config = read(arguments[2], engine);
            if (!suits(arguments[2], config)) {
                return USAGE;
            }
            Assembly assembly = new Assembly();
            judgeTls(arguments[2], config, assembly);
            if (takeover && config.takeover() == null) {
                System.err.println(
                        ConfigReader.nameOf(arguments[2]) + ": " + TAKEOVER + " without takeover.socket in the file");
                return USAGE;
            }
            return serve(config, assembly, arguments[2], engine, takeover);
        }
        if (command.equals("check") && arguments.length == 2) {
            ProxyConfig config = read(arguments[1], engine);
            if (!suits(arguments[1], config)) {
                return USAGE;
            }
            warn(arguments[1], config);
            Assembly assembly = new Assembly();
            String certificates = judgeTls(arguments[1], config, assembly);
            if (config.hasResolver()) {
                ResolverCheck.judge(config);
            }
            if (!fits(plan(config, assembly), config)) {
                return UNFIT;
            }
            System.out.print(certificates);
            System.out.println(ConfigReader.nameOf(arguments[1]) + ": ok");
            return OK;
        }
        if (command.equals("version") && given.length == 1) {
            System.out.println("remora " + version() + " (Java " + Runtime.version() + ")");
            return OK;
        }
        if (command.equals("help") || command.equals("--help")) {
            System.out.println(HELP);
            return OK;
        }
        System.err.println(HELP);
        return USAGE;
    }

    private static MemoryPlan plan(ProxyConfig config, Assembly assembly) {
        prepareNetty();
        return Memory.plan(config, assembly);
    }

    /** Before any class of Netty is loaded: left to itself, it looks for loggers that not every image has. */
    private static void prepareNetty() {
        LeanDefaults.set();
        NettyLogging.install();
    }

    /** Whether the limits that the configuration asks for fit; where they do not, says so. */
    private static boolean fits(MemoryPlan plan, ProxyConfig config) {
        String problem = Memory.problem(plan, config);
        if (problem != null) {
            System.err.println("remora: " + problem);
        }
        return problem == null;
    }

    /** Runs a sidecar until a signal ends it; returns the process's status. */
    static int serve(ProxyConfig config, Assembly assembly, String file, @Nullable EngineKind engine, boolean takeover)
            throws IOException, InterruptedException {
        // before a loop is there that must not wait for standard error
        Log.queue();
        MemoryPlan plan = plan(config, assembly);
        if (!fits(plan, config)) {
            return UNFIT;
        }
        CountDownLatch end = new CountDownLatch(1);
        // before anything is bound: a signal that comes early ends the start in order
        Signals signals = Signals.onEnd(new Runnable() {
            @Override
            public void run() {
                end.countDown();
            }
        });
        Succession succession = hasSuccession(config) ? new Succession(config, plan) : null;
        if (succession != null && !succession.begin(assembly, takeover)) {
            return UNFIT;
        }
        // what the start of the JVM has read, so that it is gone before the rest is there
        NativePages.dropFiles();
        if (NativePages.isAnother()) {
            Log.warn("the library libremora.so is of another version than this jar, and is not used");
        }
        Proxy proxy = Proxy.start(config, assembly, plan, end);
        if (succession != null) {
            follow(succession, proxy);
        }
        proxy.reloadFrom(file, engine);
        signals.onHangUp(proxy);
        NativePages.dropFiles();
        if (plan.limit().isLow()) {
            NativePages.readSingly();
        }
        // a manager waits for it, even if a drain has begun since
        if (succession != null && proxy.hasBegun()) {
            succession.ready(proxy);
        }
        proxy.awaitShutdown();
        if (succession != null) {
            succession.end();
        }
        proxy.drain();
        proxy.awaitDrained(TimeUnit.NANOSECONDS.toMillis(config.drainTimeoutNs()) + AFTER_CUT_MS);
        proxy.close();
        proxy.tellDrained();
        Log.info("stopped");
        return OK;
    }

    private static void follow(Succession succession, Proxy proxy) throws IOException {
        boolean followed = false;
        try {
            succession.follow(proxy);
            followed = true;
        } finally {
            if (!followed) {
                proxy.close();
            }
        }
    }

    // the command line wins
    static ProxyConfig read(String file, @Nullable EngineKind engine) throws ConfigException {
        ProxyConfig config = ConfigReader.readFile(file, System.getenv());
        return engine == null ? config : config.with(engine);
    }

    private static String[] without(String[] all, int from, int count) {
        String[] left = new String[all.length - count];
        System.arraycopy(all, 0, left, 0, from);
        System.arraycopy(all, from + count, left, from, left.length - from);
        return left;
    }

    /** Whether the engine can do what is configured; where it cannot, says what. */
    private static boolean suits(String file, ProxyConfig config) throws ConfigException, IOException {
        List<String> refusals = refusals(file, config);
        for (String refusal : refusals) {
            System.err.println(refusal);
        }
        return refusals.isEmpty();
    }

    /** What the engine cannot do of what is configured; none where it can do everything. */
    static List<String> refusals(String file, ProxyConfig config) throws ConfigException, IOException {
        List<String> refusals = new ArrayList<>();
        String name = ConfigReader.nameOf(file);
        String library = handOverProblem(name, config);
        if (library != null) {
            refusals.add(library);
        }
        if (config.engine() == EngineKind.NETTY) {
            for (Problem problem : NettyRefusals.of(name, config)) {
                refusals.add(problem.toString());
            }
            String missing = refusals.isEmpty() ? captureProblem(name, config) : null;
            if (missing != null) {
                refusals.add(missing);
            }
            return refusals;
        }
        prepareNetty();
        EngineProvider engine = OtherEngine.of(config.engine());
        for (String refusal : engine.refusals(config)) {
            refusals.add(name + ": " + refusal);
        }
        try {
            engine.check(name, config);
        } catch (ConfigException e) {
            for (Problem problem : e.problems()) {
                refusals.add(problem.toString());
            }
        }
        return refusals;
    }

    // apart from who calls it, so that its library is looked for only where it is wanted
    private static @Nullable String captureProblem(String file, ProxyConfig config) {
        String cluster = config.capturing();
        if (cluster == null || OriginalDestination.isThere()) {
            return null;
        }
        return file + ": clusters." + cluster + ".original-destination is not supported, the runtime images have"
                + " the library for it (libremora.so), and " + NativePages.whyNot();
    }

    // names that are compiled in, so that none of the classes is loaded that they are of
    private static boolean hasSuccession(ProxyConfig config) {
        return config.takeover() != null
                || System.getenv(ServiceManager.SOCKET) != null
                || System.getenv(InheritedSockets.COUNT) != null;
    }

    // apart for the same reason
    private static @Nullable String handOverProblem(String file, ProxyConfig config) {
        if (config.takeover() == null || Descriptors.isThere()) {
            return null;
        }
        return file + ": takeover is not supported, the runtime images have the library for it (libremora.so), and "
                + NativePages.whyNot();
    }

    // without it there is nothing to warn of, and no class for it to load
    private static boolean hasProxyProtocol(ProxyConfig config) {
        for (ListenerConfig listener : config.listeners()) {
            if (listener.proxyProtocol() != null) {
                return true;
            }
        }
        return false;
    }

    private static boolean matchesAsSent(ProxyConfig config) {
        for (ListenerConfig listener : config.listeners()) {
            if (listener.path().mode() == PathConfig.Mode.AS_SENT) {
                return true;
            }
        }
        return false;
    }

    /** Says what may not be meant, and what the engine does otherwise than the default one. */
    private static void warn(String file, ProxyConfig config) throws IOException {
        if (hasProxyProtocol(config)) {
            for (String warning : BeliefWarnings.of(config)) {
                System.err.println(ConfigReader.nameOf(file) + ": warning: " + warning);
            }
        }
        if (matchesAsSent(config)) {
            for (String warning : PathWarnings.of(config)) {
                System.err.println(ConfigReader.nameOf(file) + ": warning: " + warning);
            }
        }
        if (config.engine() != EngineKind.NETTY) {
            for (String warning : OtherEngine.of(config.engine()).warnings(config)) {
                System.err.println(ConfigReader.nameOf(file) + ": warning: " + warning);
            }
        }
    }

    /** Judges the files that TLS needs, before anything is bound; tells about the certificates. */
    static String judgeTls(String file, ProxyConfig config, Assembly assembly) throws ConfigException {
        if (!config.hasTls()) {
            // none of its classes is loaded
            return "";
        }
        prepareNetty();
        return assembly.tls().check(ConfigReader.nameOf(file), config);
    }

    private static String version() {
        String version = Main.class.getPackage().getImplementationVersion();
        return version == null ? "unpackaged" : version;
    }
}

package io.remora;

import io.remora.advise.AdviseCommand;
import io.remora.bundle.BundleCommand;
import io.remora.check.ConfigCheck;
import io.remora.check.Overrides;
import io.remora.compilelog.CompileLogCommand;
import io.remora.config.model.ConfigException;
import io.remora.config.model.Problem;
import io.remora.config.model.ProxyConfig;
import io.remora.config.yaml.ConfigReader;
import io.remora.discovery.ResolverCheck;
import io.remora.flame.FlameCommand;
import io.remora.inject.InjectCommand;
import io.remora.log.Log;
import io.remora.memory.MemoryPlan;
import io.remora.memory.NativePages;
import io.remora.profile.ProfileCommand;
import io.remora.serving.Memory;
import io.remora.serving.ProcessFiles;
import io.remora.serving.Seams;
import io.remora.takeover.InheritedSockets;
import io.remora.takeover.ServiceManager;
import io.remora.vmflags.UserFlags;
import java.io.IOException;
import java.io.InputStream;
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
 * <p>Exit statuses are those of BSD's sysexits. Their comments, and the help, are docs/command-line.md.
 */
public final class Main {
    /** The sidecar was stopped by a signal or by {@code POST /shutdown}, or the check found no problems. */
    private static final int OK = 0;
    /** The command line or the configuration is invalid. */
    private static final int USAGE = 64;
    /** An address, a name or a file is not available. */
    private static final int UNAVAILABLE = 69;
    /** An internal error occurred. */
    private static final int SOFTWARE = 70;
    /** The memory limit is too low for the configuration. */
    private static final int UNFIT = 78;
    /** Time after the end of the drain's time, in which the exchanges cut then are counted and logged. */
    private static final long AFTER_CUT_MS = 500;

    private static final String TAKEOVER = "--takeover";
    /** The options that take precedence over the file; all commands but {@code run} have the first alone. */
    private static final String[] OVERRIDES = {
        Overrides.ENGINE, Overrides.HEALTH, Overrides.ADMIN, Overrides.PROBES, Overrides.LEVEL
    };

    static final String HELP = """
        usage: remora run [--rps N] [--engine E] [--takeover] [--health ADDRESS] [--admin ADDRESS] [--app-probes JSON] [--log-level L] --config FILE
               remora check [--engine E] FILE
               remora injector --config FILE
               remora schema
               remora version
               remora inject [--undo] [--config FILE] [--namespace NAME] FILE
               remora bundle [--list] [--yes] [--time T] [--interval T] [--log FILE] [--out PLACE] [ADDRESS]
               remora advise [--patch] [ADDRESS]
               remora compile-log [--json] [--html FILE] [--latency FILE] [--tag TAG] [--from N] [--to N] [--top N] FILE ...
               remora profile [--cpu 30s] [--hz N] [--format F] [--out FILE] [ADDRESS]
               remora flame [--diff BEFORE] [--out FILE] FILE
               remora ready | live | get PAGE | wait | drain | shutdown

          run                start the sidecar
          check              validate a configuration, and report each problem as FILE:LINE:COLUMN; bind no port
          injector           serve the webhook of Kubernetes that adds the sidecar to pods
          schema             print the JSON Schema of the configuration, for editors
          version            print the version of Remora and of Java
          inject             add the sidecar to the pods of Kubernetes manifests; '-' reads standard input
          bundle             write a support bundle of the running sidecar at ADDRESS, without secrets
          advise             print the smallest profile and limit that would have held for the sidecar at ADDRESS
          compile-log        report what the JIT compilers did, from HotSpot's compilation log; '-' reads standard input
          profile            take a CPU profile of the running sidecar whose admin listener has this address
          flame              convert a profile of collapsed stacks to the format that FILE ends with, or list its frames
          ready              like live, get, wait, drain and shutdown: query or control a running sidecar, without a JVM
          --config FILE      the configuration file; '-' reads standard input
          --rps N            the expected number of requests per second, by which the launcher selects the JVM profile
          --engine E         netty or finagle, instead of the engine in the configuration
          --takeover         take over the sockets of the running sidecar
          --health ADDRESS   the address of the health listener, instead of the one in the configuration
          --admin ADDRESS    the loopback address of the admin listener, instead of the one in the configuration
          --app-probes JSON  the probes of the applications in the pod, which injection writes
          --log-level L      debug, info, warn or error, instead of the log level in the configuration
          --cpu TIME         the seconds of a profile, such as 30s
          --hz N             the samples per second of each thread's CPU time (100)
          --format F         collapsed, html, svg, pprof or top; without it, the one that the name of FILE ends with
          --diff BEFORE      compare with an earlier profile: what has grown is red, and comes first in the list
          --undo             remove the sidecar from the manifests
          --out PLACE        the profile, such as flame.html or cpu.pb.gz; or the bundle: a FILE.tar.gz, a directory, or '-'
          --list             list what the bundle will have, and write nothing
          --yes              write without a question
          --time T           the time in which metrics are read; 10m by default, 0s reads them once
          --interval T       the time between two readings of metrics; 15s by default
          --log FILE         the file with the log of the sidecar, which does not keep it
          --patch            print the patch of the pod's annotations alone
          --tls-trust FILE   the certificates by which the admin listener is verified, if it has TLS
          --tls-chain FILE   the certificate that the command shows, with its issuers
          --tls-key FILE     the key of this certificate
          --tls-name NAME    the name in the certificate of the admin listener, instead of the host in ADDRESS
          --json             write the report of compile-log as JSON
          --html FILE        also write the report as an HTML page with a time line
          --latency FILE     compare with a latency log, which /latency.hlog returns
          --tag TAG          the tag in the latency log, instead of all that end in .total
          --from N           the first second to report, since the start of the VM
          --to N             the second at which the report ends
          --top N            the number of rows in each table\
        """;

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
            return USAGE;
        }
        boolean takeover = runs && Arrays.asList(arguments).contains(TAKEOVER);
        if (takeover) {
            arguments = without(arguments, Arrays.asList(arguments).indexOf(TAKEOVER), 1);
        }
        if (runs && arguments.length == 3 && arguments[1].equals("--config")) {
            ProxyConfig config = ConfigCheck.read(arguments[2], chosen);
            if (!suits(arguments[2], config)) {
                return USAGE;
            }
            ProcessFiles files = new ProcessFiles();
            ConfigCheck.judgeTls(arguments[2], config, files);
            if (takeover && !config.options().has(ProxyConfig.TAKEOVER)) {
                System.err.println(
                        ConfigReader.nameOf(arguments[2]) + ": " + TAKEOVER + " without takeover.socket in the file");
                return USAGE;
            }
            return serve(config, files, new Seams(), arguments[2], chosen, takeover);
        }
        if (command.equals("check") && arguments.length == 2) {
            ProxyConfig config = ConfigCheck.read(arguments[1], chosen);
            if (!suits(arguments[1], config)) {
                return USAGE;
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
                return UNFIT;
            }
            System.out.print(certificates);
            System.out.println(ConfigReader.nameOf(arguments[1]) + ": ok");
            return OK;
        }
        if (command.equals("injector") && given.length == 3 && given[1].equals("--config")) {
            return Webhook.run(given[2]);
        }
        if (command.equals("schema") && given.length == 1) {
            printSchema();
            return OK;
        }
        if (command.equals("inject")) {
            InjectCommand inject = InjectCommand.of(given);
            if (inject != null) {
                return inject.run(System.in, System.out, System.err) ? OK : USAGE;
            }
        }
        if (command.equals("bundle") || command.equals("advise")) {
            return ask(command, given);
        }
        if (command.equals("compile-log")) {
            CompileLogCommand compileLog = CompileLogCommand.of(given);
            if (compileLog != null) {
                return compileLog.run(System.in, System.out, System.err) ? OK : USAGE;
            }
        }
        if (command.equals("profile")) {
            ProfileCommand profile = ProfileCommand.of(given, System.getenv("REMORA_ADMIN"));
            if (profile != null) {
                return profile.run(System.out, System.err) ? OK : UNAVAILABLE;
            }
        }
        if (command.equals("flame")) {
            FlameCommand flame = FlameCommand.of(given);
            if (flame != null) {
                flame.run(System.in, System.out);
                return OK;
            }
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

    /** Runs a command that asks a running sidecar. */
    private static int ask(String command, String[] given) throws IOException, InterruptedException {
        AdviseCommand advise = null;
        BundleCommand bundle = null;
        try {
            if (command.equals("advise")) {
                advise = AdviseCommand.of(given);
            } else {
                bundle = BundleCommand.of(given);
            }
        } catch (IllegalArgumentException e) {
            System.err.println("remora: " + e.getMessage());
            return USAGE;
        }
        if (bundle != null) {
            bundle.run(version(), System.in, System.out, System.err);
        }
        return advise == null || advise.run(System.out) ? OK : UNFIT;
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
            return UNFIT;
        }
        CountDownLatch end = new CountDownLatch(1);
        // before anything is bound: a signal that comes early ends the start in order
        Signals signals = Signals.onEnd(end);
        Takeover takeover = hasTakeover(config) ? new Takeover(config, plan) : null;
        if (takeover != null && !takeover.begin(asked)) {
            return UNFIT;
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
        return OK;
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

    /** {@code make docs} writes it from the declarations of the keys, so that a running process holds nothing of it. */
    private static void printSchema() throws IOException {
        try (InputStream schema = Main.class.getResourceAsStream("config/schema.json")) {
            if (schema == null) {
                throw new IOException("the jar has no schema");
            }
            schema.transferTo(System.out);
        }
    }

    private static String version() {
        String version = Main.class.getPackage().getImplementationVersion();
        return version == null ? "unpackaged" : version;
    }
}

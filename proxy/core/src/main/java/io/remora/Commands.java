package io.remora;

import io.remora.advise.AdviseCommand;
import io.remora.bundle.BundleCommand;
import io.remora.compilelog.CompileLogCommand;
import io.remora.config.model.ConfigException;
import io.remora.flame.FlameCommand;
import io.remora.inject.InjectCommand;
import io.remora.profile.ProfileCommand;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** The commands that need no engine. Cost: loaded only for one of them, so that a sidecar holds nothing of it. */
final class Commands {
    private Commands() {}

    /**
     * Runs a command and returns its exit status; an unknown one, or one with other arguments, prints the help.
     *
     * @param given the whole command line
     */
    static int run(String command, String[] given) throws ConfigException, IOException, InterruptedException {
        boolean alone = given.length == 1;
        return switch (command) {
            case "injector" -> given.length == 3 && given[1].equals("--config") ? Webhook.run(given[2]) : usage();
            case "schema" -> alone ? printSchema() : usage();
            case "inject" -> inject(InjectCommand.of(given));
            case "bundle", "advise", "profile" -> ask(command, given);
            case "compile-log" -> compileLog(CompileLogCommand.of(given));
            case "flame" -> flame(FlameCommand.of(given));
            case "version" -> alone ? printVersion() : usage();
            case "help", "--help" -> {
                System.out.println(Help.TEXT);
                yield ExitStatus.OK;
            }
            default -> usage();
        };
    }

    private static int usage() {
        System.err.println(Help.TEXT);
        return ExitStatus.USAGE;
    }

    private static int inject(@Nullable InjectCommand inject) throws IOException {
        if (inject == null) {
            return usage();
        }
        return inject.run(System.in, System.out, System.err) ? ExitStatus.OK : ExitStatus.USAGE;
    }

    private static int compileLog(@Nullable CompileLogCommand compileLog) throws IOException {
        if (compileLog == null) {
            return usage();
        }
        return compileLog.run(System.in, System.out, System.err) ? ExitStatus.OK : ExitStatus.USAGE;
    }

    private static int profile(@Nullable ProfileCommand profile) throws IOException {
        if (profile == null) {
            return usage();
        }
        return profile.run(System.out, System.err) ? ExitStatus.OK : ExitStatus.REJECTED;
    }

    private static int flame(@Nullable FlameCommand flame) throws IOException {
        if (flame == null) {
            return usage();
        }
        flame.run(System.in, System.out);
        return ExitStatus.OK;
    }

    /** Runs a command that asks a running sidecar. */
    private static int ask(String command, String[] given) throws IOException, InterruptedException {
        AdviseCommand advise = null;
        BundleCommand bundle = null;
        ProfileCommand profile = null;
        try {
            switch (command) {
                case "advise" -> advise = AdviseCommand.of(given);
                case "bundle" -> bundle = BundleCommand.of(given);
                default -> profile = ProfileCommand.of(given);
            }
        } catch (IllegalArgumentException e) {
            System.err.println("remora: " + e.getMessage());
            return ExitStatus.USAGE;
        }
        if (command.equals("profile")) {
            return profile(profile);
        }
        if (bundle != null) {
            bundle.run(version(), System.in, System.out, System.err);
        }
        return advise == null || advise.run(System.out) ? ExitStatus.OK : ExitStatus.UNFIT;
    }

    /** {@code make docs} writes it from the declarations of the keys, so that a running process holds nothing of it. */
    private static int printSchema() throws IOException {
        try (InputStream schema = Commands.class.getResourceAsStream("config/schema.json")) {
            if (schema == null) {
                throw new IOException("the jar has no schema");
            }
            schema.transferTo(System.out);
        }
        return ExitStatus.OK;
    }

    private static int printVersion() {
        System.out.println("remora " + version() + " (Java " + Runtime.version() + ")");
        return ExitStatus.OK;
    }

    private static String version() {
        String version = Commands.class.getPackage().getImplementationVersion();
        return version == null ? "unpackaged" : version;
    }
}

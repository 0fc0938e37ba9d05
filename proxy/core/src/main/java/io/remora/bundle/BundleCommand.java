package io.remora.bundle;

import io.remora.adminclient.AdminClient;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.Map;

/**
 * The command {@code remora bundle}: it lists what a support bundle of a running sidecar has, and then writes it.
 *
 * <p>Order: on a terminal it asks before it collects, unless {@code --yes} is given.
 */
public final class BundleCommand {
    private final BundleOptions options;

    private BundleCommand(BundleOptions options) {
        this.options = options;
    }

    /**
     * Returns the command of a command line, whose first word is {@code bundle}.
     *
     * @throws IllegalArgumentException with the problem, and what to write instead
     */
    public static BundleCommand of(String[] arguments) {
        return new BundleCommand(BundleOptions.of(arguments));
    }

    /**
     * Runs the command.
     *
     * @param version of the command
     * @throws IOException where the sidecar does not answer, or the bundle cannot be written
     */
    public void run(String version, InputStream in, PrintStream out, PrintStream err)
            throws IOException, InterruptedException {
        String place = options.out();
        if (place != null && !options.listsOnly()) {
            BundleOutput.check(place);
        }
        Bundle bundle = new Bundle(AdminClient.of(options.target()), options);
        if (place == null || options.listsOnly()) {
            out.print(bundle.list());
            return;
        }
        // standard output may be the archive's
        err.println("remora: the bundle of " + options.target().text() + " will have");
        err.print(bundle.list());
        if (!options.agreed() && isTerminal()) {
            err.print("Write it to " + place + "? [y/N] ");
            err.flush();
            int answer = in.read();
            if (answer != 'y' && answer != 'Y') {
                err.println("remora: nothing was written");
                return;
            }
        }
        Map<String, String> files = bundle.collect(version, err);
        BundleOutput.write(place, files, out, System.currentTimeMillis());
        String problems = bundle.problems();
        if (problems != null) {
            err.print(problems);
        }
        err.println("remora: wrote " + files.size() + " files to " + place);
    }

    // by its name, as the JDK has a console without a terminal since Java 22
    private static boolean isTerminal() throws IOException {
        String input = new File("/proc/self/fd/0").getCanonicalPath();
        return input.startsWith("/dev/pts/") || input.startsWith("/dev/tty") || input.equals("/dev/console");
    }
}

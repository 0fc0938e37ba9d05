package io.remora.advise;

import io.remora.adminclient.AdminClient;
import io.remora.adminclient.AdminTarget;
import io.remora.inject.ProfileTable;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** The command {@code remora advise}: it reads the peaks of a running sidecar, and prints what would have held them. */
public final class AdviseCommand {
    private static final String PATCH = "--patch";

    private final AdminTarget target;
    private final boolean patchOnly;

    private AdviseCommand(AdminTarget target, boolean patchOnly) {
        this.target = target;
        this.patchOnly = patchOnly;
    }

    /**
     * Returns the command of a command line, whose first word is {@code advise}.
     *
     * @throws IllegalArgumentException with the problem, and what to write instead
     */
    public static AdviseCommand of(String[] arguments) {
        AdminTarget target = new AdminTarget();
        boolean patchOnly = false;
        for (int i = 1; i < arguments.length; i++) {
            String word = arguments[i];
            if (word.equals(PATCH)) {
                patchOnly = true;
            } else if (AdminTarget.isOption(word)) {
                if (++i == arguments.length) {
                    throw new IllegalArgumentException(word + " needs a value");
                }
                target.set(word, arguments[i]);
            } else if (word.startsWith("--") || !target.set(word)) {
                throw new IllegalArgumentException(
                        "'" + word + "' is not known, expected one address and options;" + " remora help lists these");
            }
        }
        String problem = target.problem();
        if (problem != null) {
            throw new IllegalArgumentException(problem);
        }
        return new AdviseCommand(target, patchOnly);
    }

    /**
     * Runs the command; returns false if no profile holds, and there is no patch.
     *
     * @throws IOException where the sidecar does not answer, or there is no table of profiles
     */
    public boolean run(PrintStream out) throws IOException {
        AdminClient client = AdminClient.of(target);
        PeaksPage peaks = PeaksPage.of(client.get("/peaks"));
        List<String> clusters = clusters(client.get("/config"));
        Advice advice = Advice.of(peaks, ProfileTable.ofThisImage(), Unused.of(client.get("/metrics"), clusters));
        String text = patchOnly ? advice.patch() : advice.text();
        out.print(text);
        return !text.isEmpty();
    }

    // the keys one step to the right of "clusters:", each of which ends with its line
    private static List<String> clusters(String config) {
        List<String> names = new ArrayList<>();
        boolean inside = false;
        for (String line : PeaksPage.parts(config, '\n')) {
            boolean top = !line.startsWith(" ");
            inside = top ? line.equals("clusters:") : inside;
            if (inside && line.startsWith("  ") && !line.startsWith("   ") && line.endsWith(":")) {
                String name = line.substring(2, line.length() - 1);
                names.add(name.startsWith("\"") ? name.substring(1, name.length() - 1) : name);
            }
        }
        return names;
    }
}

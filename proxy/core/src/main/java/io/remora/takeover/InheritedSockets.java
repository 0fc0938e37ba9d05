package io.remora.takeover;

import io.remora.transport.Descriptors;
import io.remora.transport.GivenSockets;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sockets that a service manager has opened before it started this process: descriptors from 3 on, as many as LISTEN_FDS says, where
 * LISTEN_PID is this process, with the names of LISTEN_FDNAMES.
 *
 * <p>Pure but for the descriptors, which it takes over. Spec: sd_listen_fds(3).
 */
public final class InheritedSockets {
    public static final String COUNT = "LISTEN_FDS";
    private static final String PID = "LISTEN_PID";
    private static final String NAMES = "LISTEN_FDNAMES";
    private static final int FIRST = 3;
    private static final int MOST = 256;

    private InheritedSockets() {}

    /**
     * @return null where there are none
     * @throws IOException where a descriptor is no socket that is listened on, or the library is not there
     */
    public static @Nullable GivenSockets of(Map<String, String> environment) throws IOException {
        String own = Long.toString(ProcessHandle.current().pid());
        if (!own.equals(environment.get(PID))) {
            return null;
        }
        int count = count(environment.getOrDefault(COUNT, ""));
        if (count == 0) {
            return null;
        }
        if (!Descriptors.isThere()) {
            throw new IOException(COUNT + " is set, which needs the library libremora.so, and " + Descriptors.whyNot());
        }
        GivenSockets sockets = new GivenSockets(false);
        String names = environment.getOrDefault(NAMES, "");
        int from = 0;
        for (int i = 0; i < count; i++) {
            int colon = names.indexOf(':', from);
            int end = colon < 0 ? names.length() : colon;
            String name = names.substring(Math.min(from, end), end);
            from = Math.min(end + 1, names.length());
            try {
                sockets.add(name, Descriptors.listening(FIRST + i));
            } catch (IOException e) {
                throw new IOException(COUNT + ": descriptor " + (FIRST + i) + ": " + e.getMessage(), e);
            }
        }
        return sockets;
    }

    private static int count(String text) throws IOException {
        try {
            int count = Integer.parseInt(text);
            if (count >= 0 && count <= MOST) {
                return count;
            }
        } catch (NumberFormatException e) {
            // told below
        }
        throw new IOException(COUNT + " is " + text + ", expected a number up to " + MOST);
    }
}

package io.remora.takeover;

import io.remora.log.Log;
import io.remora.transport.Descriptors;
import java.io.IOException;

/**
 * The service manager that has started this process and wants to know how it is: one datagram for each change, to the Unix socket that
 * NOTIFY_SOCKET names.
 *
 * <p>Thread safe. Spec: sd_notify(3).
 */
public final class ServiceManager {
    public static final String SOCKET = "NOTIFY_SOCKET";

    private final String socket;

    /** @param socket a path, or after an @ an abstract name */
    public ServiceManager(String socket) {
        this.socket = socket;
    }

    /** The sidecar serves, as the process that the manager is to look after from now on. */
    public void ready() {
        tell("MAINPID=" + ProcessHandle.current().pid() + "\nREADY=1\n");
    }

    public void stopping() {
        tell("STOPPING=1\n");
    }

    private void tell(String text) {
        if (!Descriptors.isThere()) {
            if (text.contains("READY")) {
                Log.warn(
                        SOCKET + ": libremora.so is needed, and " + Descriptors.whyNot() + "; sending no notification");
            }
            return;
        }
        try {
            Descriptors.notify(socket, text);
        } catch (IOException e) {
            Log.warn(SOCKET + ": " + socket + ": " + e.getMessage());
        }
    }
}

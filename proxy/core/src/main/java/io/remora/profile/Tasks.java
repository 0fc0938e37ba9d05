package io.remora.profile;

import io.remora.process.ProcFile;
import java.io.File;
import java.io.IOException;

/** The threads of the process, by the numbers that the kernel has given them. */
final class Tasks {
    private Tasks() {}

    /** Returns all threads, those of the VM among them; none if the kernel does not list them. */
    static int[] tids() {
        String[] names = new File("/proc/self/task").list();
        int[] tids = new int[names == null ? 0 : names.length];
        for (int i = 0; i < tids.length; i++) {
            tids[i] = (int) ProcFile.number(names[i], 0);
        }
        return tids;
    }

    /** Returns the thread that asks. */
    static int own() throws IOException {
        // a symbolic link to PID/task/TID
        return (int)
                ProcFile.number(new File("/proc/thread-self").getCanonicalFile().getName(), 0);
    }
}

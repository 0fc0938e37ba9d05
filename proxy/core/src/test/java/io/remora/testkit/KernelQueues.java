package io.remora.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What Linux holds of the connections on this host, from {@code /proc/net/tcp}. */
public final class KernelQueues {
    private static final int LOCAL = 1;
    private static final int REMOTE = 2;
    private static final int QUEUES = 4;
    private static final int TIMER = 5;
    /** The timer that asks whether the other end is there. */
    private static final String KEEP_ALIVE = "02:";

    private static final int ANY = 0;

    private KernelQueues() {}

    /** Octets that the process at one port has sent and the process at the other one has not read yet. */
    public static long between(int senderPort, int receiverPort) {
        return queued("/proc/net/tcp", senderPort, receiverPort) + queued("/proc/net/tcp6", senderPort, receiverPort);
    }

    /** Tells if the kernel asks the other end whether it is still there, for the socket at {@code localPort}. */
    public static boolean isKeptAlive(int localPort, int remotePort) {
        return keepsAlive("/proc/net/tcp", localPort, remotePort)
                || keepsAlive("/proc/net/tcp6", localPort, remotePort);
    }

    /** The same for a connection to that port. */
    public static boolean isKeptAliveTowards(int remotePort) {
        return isKeptAlive(ANY, remotePort);
    }

    private static boolean keepsAlive(String table, int localPort, int remotePort) {
        try {
            for (String line : Files.readAllLines(Path.of(table))) {
                String[] words = line.strip().split("\\s+");
                boolean local = localPort == ANY || isAt(words[LOCAL], localPort);
                if (local && isAt(words[REMOTE], remotePort) && words[TIMER].startsWith(KEEP_ALIVE)) {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long queued(String table, int senderPort, int receiverPort) {
        long sum = 0;
        try {
            for (String line : Files.readAllLines(Path.of(table))) {
                String[] words = line.strip().split("\\s+");
                if (isBetween(words, senderPort, receiverPort)) {
                    sum += Long.parseLong(words[QUEUES].substring(0, words[QUEUES].indexOf(':')), 16);
                } else if (isBetween(words, receiverPort, senderPort)) {
                    sum += Long.parseLong(words[QUEUES].substring(words[QUEUES].indexOf(':') + 1), 16);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return sum;
    }

    private static boolean isBetween(String[] words, int localPort, int remotePort) {
        return isAt(words[LOCAL], localPort) && isAt(words[REMOTE], remotePort);
    }

    private static boolean isAt(String address, int port) {
        return address.endsWith(":" + String.format("%04X", port));
    }
}

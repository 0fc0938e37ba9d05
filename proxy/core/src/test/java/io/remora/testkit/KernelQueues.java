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

    private KernelQueues() {}

    /** Octets that the process at one port has sent and the process at the other one has not read yet. */
    public static long between(int senderPort, int receiverPort) {
        return queued("/proc/net/tcp", senderPort, receiverPort) + queued("/proc/net/tcp6", senderPort, receiverPort);
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
        return words[LOCAL].endsWith(":" + String.format("%04X", localPort))
                && words[REMOTE].endsWith(":" + String.format("%04X", remotePort));
    }
}

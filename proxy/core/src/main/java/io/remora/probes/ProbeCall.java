package io.remora.probes;

import io.remora.config.model.Address;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;

/**
 * One run of a probe, on a connection of its own, as the kubelet makes it. The event loops have no part in it, so that a loop that
 * stands still does not have the application restarted.
 *
 * <p>Owner: the run's thread. Bounds: the probe's time for all of it.
 */
abstract class ProbeCall {
    /** Variable with the pod's address; without it the application is on loopback. */
    private static final String POD_IP = "REMORA_POD_IP";

    private static final String LOOPBACK = "127.0.0.1";
    private static final long NS_PER_MS = 1_000_000;

    final AppProbe probe;
    private final long untilNs;

    ProbeCall(AppProbe probe) {
        this.probe = probe;
        this.untilNs = System.nanoTime() + probe.timeoutMs() * NS_PER_MS;
    }

    final ProbeAnswer run() {
        try {
            return answer();
        } catch (SocketTimeoutException e) {
            return ProbeAnswer.failed(
                    "no answer within " + probe.timeoutMs() + " ms from " + place(host(), probe.port()));
        } catch (UnknownHostException e) {
            return ProbeAnswer.failed("the host " + host() + " is not known");
        } catch (IOException e) {
            return ProbeAnswer.failed(place(host(), probe.port()) + ": " + e.getMessage());
        }
    }

    /** Carries the probe out. */
    abstract ProbeAnswer answer() throws IOException;

    final String host() {
        if (probe.host() != null) {
            return probe.host();
        }
        String pod = System.getenv(POD_IP);
        return pod == null || pod.isEmpty() ? LOOPBACK : pod;
    }

    static String place(String host, int port) {
        return new Address(host, port).toString();
    }

    final Socket connect(String host, int port) throws IOException {
        Socket socket = new Socket();
        boolean connected = false;
        try {
            InetSocketAddress at = new InetSocketAddress(host, port);
            if (at.isUnresolved()) {
                throw new UnknownHostException(host);
            }
            socket.connect(at, leftMs());
            socket.setTcpNoDelay(true);
            connected = true;
            return socket;
        } finally {
            if (!connected) {
                socket.close();
            }
        }
    }

    /** Returns the time that is left; there is some. */
    final int leftMs() throws SocketTimeoutException {
        long leftMs = (untilNs - System.nanoTime()) / NS_PER_MS;
        if (leftMs <= 0) {
            throw new SocketTimeoutException();
        }
        return (int) leftMs;
    }
}

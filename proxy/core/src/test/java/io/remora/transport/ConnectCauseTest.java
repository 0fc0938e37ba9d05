package io.remora.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.remora.metrics.LoopMetric;
import io.remora.metrics.LoopStats;
import io.remora.testkit.FreePort;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Causes told apart by what the kernel says, in the JDK's words. */
final class ConnectCauseTest {
    private static ConnectCause of(Attempt attempt) throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            return ConnectCause.of(catchThrowable(() -> attempt.by(channel)));
        }
    }

    private interface Attempt {
        void by(SocketChannel channel) throws IOException;
    }

    @Test
    void whatTheKernelSays() throws IOException {
        int free = FreePort.next();
        assertThat(of(channel -> channel.connect(new InetSocketAddress("127.0.0.1", free))))
                .isEqualTo(ConnectCause.REFUSED);
        // an address of nobody's here (RFC 5737)
        assertThat(of(channel -> channel.bind(new InetSocketAddress("192.0.2.1", 0))))
                .isEqualTo(ConnectCause.ADDRESS_NOT_AVAILABLE);
        assertThat(of(channel -> {
                    channel.close();
                    throw new ClosedChannelException();
                }))
                .isEqualTo(ConnectCause.OTHER);
    }

    @ParameterizedTest
    @CsvSource({
        "Connection timed out: /10.0.0.1:80, TIMEOUT",
        "Network is unreachable, UNREACHABLE",
        "No route to host, NO_ROUTE",
        "Connection reset by peer, RESET",
        "Too many open files, DESCRIPTORS",
        "Permission denied, OTHER"
    })
    void whatItSaysOnOtherHosts(String text, ConnectCause cause) {
        assertThat(ConnectCause.of(new IOException("connect", new IOException(text))))
                .isEqualTo(cause);
    }

    /** Netty's text around the kernel's ends with the endpoint, whose name may hold any word. */
    @Test
    void theNameOfAnEndpointIsNoCause() {
        String endpoint = ": refused-orders/10.0.0.1:80";
        assertThat(ConnectCause.of(new ConnectException("Connection timed out" + endpoint)
                        .initCause(new ConnectException("Connection timed out"))))
                .isEqualTo(ConnectCause.TIMEOUT);
        assertThat(ConnectCause.of(new SocketException("Permission denied" + endpoint)
                        .initCause(new BindException("Permission denied"))))
                .isEqualTo(ConnectCause.OTHER);
        assertThat(ConnectCause.of(new NoRouteToHostException("No route to host" + endpoint)
                        .initCause(new NoRouteToHostException("No route to host"))))
                .isEqualTo(ConnectCause.NO_ROUTE);
    }

    @ParameterizedTest
    @EnumSource(ConnectCause.class)
    void eachIsCounted(ConnectCause cause) {
        LoopStats stats = new LoopStats("0");
        stats.increment(LoopMetric.CONNECT_CAUSES, cause.label());
        assertThat(stats.value(LoopMetric.CONNECT_CAUSES, cause.label())).isOne();
    }
}

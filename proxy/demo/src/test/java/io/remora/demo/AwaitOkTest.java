package io.remora.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.api.Test;

final class AwaitOkTest {
    private static final long SHORT_NS = 50_000_000L;

    @Test
    void tellsWhatAnswersFromWhatDoesNot() throws Exception {
        Demo demo = Demo.start(0);
        URI root = URI.create("http://127.0.0.1:" + demo.port() + "/");
        assertThat(AwaitOk.await(root, SHORT_NS)).isTrue();
        assertThat(AwaitOk.await(root.resolve("/nothing"), SHORT_NS)).isFalse();
        demo.stop();
        assertThat(AwaitOk.await(root, SHORT_NS)).isFalse();
    }
}

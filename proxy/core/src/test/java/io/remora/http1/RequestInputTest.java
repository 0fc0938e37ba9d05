package io.remora.http1;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.remora.config.model.Address;
import io.remora.config.model.FrontendTimeouts;
import io.remora.config.model.HeaderPolicy;
import io.remora.config.model.HeaderPolicy.ForwardingMode;
import io.remora.config.model.HeaderPolicy.RequestIdMode;
import io.remora.config.model.HeaderPolicy.Underscores;
import io.remora.config.model.Limits;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Options;
import io.remora.config.model.PathConfig;
import io.remora.exchange.Admission;
import io.remora.exchange.ListenerLoop;
import io.remora.exchange.ListenerSnapshot;
import io.remora.exchange.Stage;
import io.remora.http.Failure;
import io.remora.http.RequestIds;
import io.remora.http.Via;
import io.remora.memory.Held;
import io.remora.memory.Plans;
import io.remora.metrics.ListenerStats;
import io.remora.metrics.Stats;
import io.remora.route.Router;
import io.remora.transport.Loops;
import io.remora.transport.NanoClock;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a client has sent and no exchange has taken yet. */
final class RequestInputTest {
    private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final int BUFFER_OCTETS = 4_096;
    private static final int HELD_OCTETS = 100_000;

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    private final Loops loops = new Loops(1, NanoClock.SYSTEM, new Stats(), Plans.holding(HELD_OCTETS));
    private final RequestInput input = new RequestInput(listener());

    private ListenerLoop listener() {
        ListenerLoop listener = new ListenerLoop(
                loops.all().get(0),
                new ListenerStats("test", Failure.labels()),
                new Admission(),
                new Via("test"),
                null,
                new RequestIds(() -> 0, 0));
        ListenerConfig config = new ListenerConfig(
                "test",
                new Address("127.0.0.1", 1),
                new HeaderPolicy(
                        ForwardingMode.OFF,
                        ForwardingMode.OFF,
                        ForwardingMode.OFF,
                        ForwardingMode.OFF,
                        ForwardingMode.SANITIZE,
                        false,
                        RequestIdMode.OFF,
                        Underscores.PASS),
                new Limits(1, 1_024, 1_024, 10, BUFFER_OCTETS, 1, Limits.UNLIMITED),
                new FrontendTimeouts(1, 1, 1, Limits.UNLIMITED),
                PathConfig.DEFAULT,
                List.of(),
                Options.NONE);
        listener.replace(new ListenerSnapshot(1, config, new Router(List.of()), Map.of(), new Stage[0]));
        return listener;
    }

    @AfterEach
    void end() {
        input.close();
        assertThat(allocator.metric().usedDirectMemory()).isZero();
        loops.shutdown().syncUninterruptibly();
    }

    private void add(String text) {
        byte[] octets = text.getBytes(StandardCharsets.US_ASCII);
        input.add(allocator.directBuffer(octets.length, octets.length).writeBytes(octets));
    }

    private long held() {
        int octets = 0;
        while (loops.all().get(0).memory().hold(1)) {
            octets++;
        }
        loops.all().get(0).memory().hold(-octets - 1);
        return HELD_OCTETS - octets;
    }

    @Test
    void neverHoldsMuchMoreThanWhatWaits() {
        add(GET + GET);
        for (int i = 0; i < 5_000; i++) {
            add(GET);
            assertThat(input.parseHead()).isEqualTo(Progress.DONE);
            assertThat(allocator.metric().usedDirectMemory()).isLessThan(4L * BUFFER_OCTETS);
        }
    }

    @Test
    void readsNoFurtherWhereWhatIsNotWholeHasItsPart() {
        Held others = new Held(loops.all().get(0).memory());
        add("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n");
        assertThat(input.parseHead()).isEqualTo(Progress.DONE);
        add("abc" + GET);
        assertThat(input.hasRoom()).isTrue();
        others.to(HELD_OCTETS * 4 / 5 + 1, HELD_OCTETS * 4 / 5 + 1);
        assertThat(input.hasRoom()).isFalse();
        others.to(0);
    }

    /** A slice that is on its way keeps the octets that it had, whatever the client sends meanwhile. */
    @Test
    void contentThatIsOnItsWayStaysWhatItIs() {
        add("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n");
        add("abc" + GET);
        assertThat(input.parseHead()).isEqualTo(Progress.DONE);
        ByteBuf content = input.readBody();
        long address = content.memoryAddress();
        for (int i = 0; i < 1_000; i++) {
            add(GET);
        }
        assertThat(content.memoryAddress()).isEqualTo(address);
        assertThat(content.toString(StandardCharsets.US_ASCII)).isEqualTo("abc");
        content.release();
    }

    @Test
    void givesBackWhatItHeldWhenThatIsTaken() {
        add(GET + GET);
        assertThat(input.readComplete()).isNull();
        assertThat(held()).isEqualTo(2L * GET.length());
        assertThat(input.parseHead()).isEqualTo(Progress.DONE);
        assertThat(input.parseHead()).isEqualTo(Progress.DONE);
        input.discardTaken();
        input.giveBackTaken();
        assertThat(held()).isZero();
    }

    @Test
    void aRefusalKnowsNothingOfTheRequestBefore() {
        add("HEAD / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nbroken\r\n\r\n");
        assertThat(input.parseHead()).isEqualTo(Progress.DONE);
        assertThat(input.parseHead()).isEqualTo(Progress.REFUSED);
        assertThat(input.unreadable().isHead()).isFalse();
    }
}

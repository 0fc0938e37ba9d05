package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.remora.http2.hpack.FieldSection;
import io.remora.http2.hpack.HpackDecoder;
import io.remora.http2.hpack.LineFacts;
import io.remora.seams.Http2Backend;
import io.remora.seams.Http2Peer;
import io.remora.testkit.Sidecar;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Lines of a request that no table may have, in the copy that a mirror gets (RFC 7541 7.1). */
final class MirroredMarksIT {
    private static final int SECONDS = 10;
    private static final byte NEVER = 0x10;

    private static final String YAML = """
        admin: {address: '127.0.0.1:0'}
        log-level: error
        listeners:
          - name: test
            address: '127.0.0.1:0'
            protocol: http2
            routes: [{cluster: app, mirror: {cluster: shadow, percent: 100}}]
          - {name: barrier, address: '127.0.0.1:0', cluster: barrier}
        clusters:
          app: {protocol: http2, endpoints: ['127.0.0.1:APP']}
          shadow: {protocol: http2, endpoints: ['127.0.0.1:SHADOW']}
          barrier: {endpoints: ['127.0.0.1:${BARRIER}']}
        """;

    private final BlockingQueue<Set<String>> originals = new LinkedBlockingQueue<>();
    private final BlockingQueue<Set<String>> copies = new LinkedBlockingQueue<>();

    private static Http2Backend telling(BlockingQueue<Set<String>> marked) {
        return Http2Backend.start((peer, connection) -> {
            peer.begin();
            Http2Peer.Frame head = peer.next(Http2Peer.HEADERS);
            marked.add(marked(head.payload()));
            peer.respond(head.stream(), "ok").awaitEnd();
        });
    }

    private static Set<String> marked(byte[] payload) {
        ByteBuf block = Unpooled.wrappedBuffer(payload);
        FieldSection section = new FieldSection();
        assertThat(new HpackDecoder(4_096, 1 << 20).decode(block, 0, payload.length, section))
                .isNull();
        Set<String> names = new TreeSet<>();
        for (int i = 0; i < section.count(); i++) {
            if ((section.facts(i) & LineFacts.NEVER_INDEXED) != 0) {
                int start = section.nameStart(i);
                names.add(new String(section.array(), start, section.nameEnd(i) - start, StandardCharsets.US_ASCII));
            }
        }
        return names;
    }

    private static byte[] block(String... marked) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < marked.length; i += 2) {
            byte[] line = FrameClient.block(marked[i], marked[i + 1]);
            line[0] = NEVER;
            out.writeBytes(line);
        }
        out.writeBytes(FrameClient.block(":scheme", "http", ":authority", "app", "x-open", "1"));
        return out.toByteArray();
    }

    private Set<String> copy(byte[] block) throws IOException, InterruptedException {
        try (Http2Backend app = telling(originals);
                Http2Backend shadow = telling(copies);
                Sidecar sidecar = Sidecar.of(YAML.replace("APP", Integer.toString(app.port()))
                        .replace("SHADOW", Integer.toString(shadow.port())));
                FrameClient client = FrameClient.connect(sidecar.address())) {
            client.send(
                    FrameClient.frame(FrameClient.HEADERS, FrameClient.END_HEADERS | FrameClient.END_STREAM, 1, block));
            assertThat(client.answer(1).text()).isEqualTo("ok");
            Set<String> copied = copies.poll(SECONDS, TimeUnit.SECONDS);
            assertThat(copied).isNotNull().isEqualTo(originals.poll(SECONDS, TimeUnit.SECONDS));
            return copied;
        }
    }

    @Test
    void thePathAndTheMethodKeepTheirMarks() throws Exception {
        assertThat(copy(block(":method", "GET", ":path", "/secret"))).containsExactly(":method", ":path");
    }

    @Test
    void whatIsNotMarkedGetsNoMark() throws Exception {
        byte[] unmarked = FrameClient.block(FrameClient.GET);
        assertThat(copy(unmarked)).isEmpty();
    }
}

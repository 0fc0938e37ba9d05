package io.remora.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The name in a hello: of a real one, split anywhere, and of whatever else a client may send. */
final class ClientHelloTest {
    /** What the JDK's engine says first to a server of that name, empty for none. */
    static byte[] hello(String name) throws Exception {
        SSLEngine engine = SSLContext.getDefault().createSSLEngine(name.isEmpty() ? null : name, 443);
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
        engine.setSSLParameters(parameters);
        ByteBuffer out = ByteBuffer.allocate(1 << 15);
        engine.wrap(ByteBuffer.allocate(0), out);
        byte[] octets = new byte[out.position()];
        out.flip().get(octets);
        return octets;
    }

    private static String read(ClientHello hello, byte[] octets, int from, int to) {
        ByteBuf bytes = Unpooled.wrappedBuffer(octets, from, to - from);
        String name = hello.read(bytes);
        assertThat(bytes.readableBytes()).as("octets stay where they are").isEqualTo(to - from);
        bytes.release();
        return name;
    }

    private static String read(byte[] octets) {
        return read(new ClientHello(), octets, 0, octets.length);
    }

    /** The same message in records of so many octets. */
    private static byte[] inRecords(byte[] hello, int size) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int at = 5; at < hello.length; at += size) {
            int some = Math.min(size, hello.length - at);
            out.write(22);
            out.write(3);
            out.write(1);
            out.write(some >> 8);
            out.write(some);
            out.write(hello, at, some);
        }
        return out.toByteArray();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.test", "Very-Long.Name.of-a.Server.example"})
    void isFoundWhereverItIsSplit(String name) throws Exception {
        byte[] octets = hello(name);
        String expected = name.toLowerCase(java.util.Locale.ROOT);
        assertThat(read(octets)).isEqualTo(expected);
        for (int at = 1; at < octets.length; at++) {
            ClientHello hello = new ClientHello();
            assertThat(read(hello, octets, 0, at)).isNull();
            assertThat(read(hello, octets, at, octets.length)).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 100})
    void isFoundInManyRecords(int size) throws Exception {
        byte[] octets = inRecords(hello("a.test"), size);
        assertThat(read(octets)).isEqualTo("a.test");
        ClientHello hello = new ClientHello();
        for (int at = 0; at < octets.length - 1; at++) {
            assertThat(read(hello, octets, at, at + 1)).isNull();
        }
        assertThat(read(hello, octets, octets.length - 1, octets.length)).isEqualTo("a.test");
    }

    @Test
    void isEmptyWhereTheClientSaysNone() throws Exception {
        assertThat(read(hello(""))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET / HTTP/1.1",
                "SSH-2.0-OpenSSH_9.2",
                "\\x16\\x02", // SSL 2
                "\\x16\\x03\\x01\\x00\\x00", // an empty record
                "\\x16\\x03\\x01\\x50\\x00", // a record that is too long
                "\\x16\\x03\\x01\\x00\\x04\\x02\\x00\\x00\\x00", // a server's hello
                "\\x16\\x03\\x01\\x00\\x04\\x01\\x01\\x00\\x00", // one of 64 KiB
                "\\x16\\x03\\x01\\x00\\x04\\x01\\x00\\x00\\x00", // one with nothing in it
                "\\x16\\x03\\x01\\x00\\x05\\x01\\x00\\x00\\x01\\xff",
                "\\x17\\x03\\x03\\x00\\x01\\x00" // application data
            })
    void isEmptyForWhatIsNoClientHello(String text) {
        assertThat(read(octets(text))).isEmpty();
    }

    private static byte[] octets(String text) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < text.length(); i++) {
            if (text.startsWith("\\x", i)) {
                out.write(Integer.parseInt(text.substring(i + 2, i + 4), 16));
                i += 3;
            } else {
                out.write(text.charAt(i));
            }
        }
        return out.toByteArray();
    }

    /** A name with octets that are in none is no name. */
    @ParameterizedTest
    @ValueSource(chars = {' ', '/', '\0', '\n', '"', '\u00e4'})
    void isEmptyWhereItIsNoName(char wrong) throws Exception {
        byte[] octets = hello("a.test");
        String text = new String(octets, StandardCharsets.ISO_8859_1);
        octets[text.indexOf("a.test") + 1] = (byte) wrong;
        assertThat(read(octets)).isEmpty();
    }

    /** Whatever is wrong in it, it is read to the end of itself and no further. */
    @Test
    void survivesAnyDamage() throws Exception {
        byte[] good = hello("a.test");
        Random random = new Random(7);
        int named = 0;
        for (int round = 0; round < 50_000; round++) {
            byte[] octets = good.clone();
            for (int i = random.nextInt(4); i >= 0; i--) {
                octets[5 + random.nextInt(octets.length - 5)] = (byte) random.nextInt();
            }
            String name = read(octets);
            named += "a.test".equals(name) ? 1 : 0;
            assertThat(name == null || name.length() <= 253).isTrue();
        }
        assertThat(named).isBetween(1, 49_999);
    }
}

package io.remora.http.rules;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Parts of Netty that advisories speak of and that the sidecar does not use, so that they cannot reach it. */
final class CodecUseTest {
    /** All of Netty's codecs; those that advisories speak of are named. The tests compare with two of them. */
    private static final Map<String, String> BANNED = Map.of(
            "io\\.netty\\.handler\\..*",
            "io.netty.handler.codec.http.HttpRequestDecoder",
            "io\\.netty\\.handler\\.codec\\.http\\.multipart\\..*",
            "io.netty.handler.codec.http.multipart.HttpPostRequestDecoder",
            "io\\.netty\\.handler\\.codec\\.http\\.cors\\..*",
            "io.netty.handler.codec.http.cors.CorsHandler",
            "io\\.netty\\.handler\\.codec\\.http\\.websocketx\\..*",
            "io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler",
            "io\\.netty\\.handler\\.codec\\.http\\.HttpContent(Decoder|Decompressor).*",
            "io.netty.handler.codec.http.HttpContentDecompressor",
            "io\\.netty\\.handler\\.codec\\.http\\.HttpContent(Encoder|Compressor).*",
            "io.netty.handler.codec.http.HttpContentCompressor",
            "io\\.netty\\.handler\\.codec\\.http2\\.(Http2FrameCodec|Http2Multiplex|.*Decompress|HttpConversion|.*HttpAdapter).*",
            "io.netty.handler.codec.http2.HttpConversionUtil",
            "io\\.netty\\.handler\\.codec\\.rtsp\\..*",
            "io.netty.handler.codec.rtsp.RtspDecoder",
            "io\\.netty\\.handler\\.codec\\.spdy\\..*",
            "io.netty.handler.codec.spdy.SpdyFrameCodec");

    @Test
    void partsOfNettyThatAreNotUsed() {
        noClasses()
                .that()
                .resideInAPackage("io.remora..")
                .should()
                .dependOnClassesThat()
                .haveNameMatching(String.join("|", BANNED.keySet()))
                .check(new ClassFileImporter()
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                        .importPackages("io.remora"));
    }

    /** A ban on what is not there would ban nothing. */
    @Test
    void eachBanIsOnSomething() throws ClassNotFoundException {
        for (Map.Entry<String, String> ban : BANNED.entrySet()) {
            String one = Class.forName(ban.getValue(), false, getClass().getClassLoader())
                    .getName();
            assertThat(one).matches(ban.getKey());
        }
    }

    /** They are in jars that the sidecar does without. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "io.netty.handler.codec.compression.ZlibDecoder",
                "io.netty.handler.codec.haproxy.HAProxyMessageDecoder",
                "io.netty.handler.proxy.HttpProxyHandler",
                "io.netty.handler.ssl.SslHandler",
                "io.netty.handler.ipfilter.IpSubnetFilterRule",
                "io.netty.channel.epoll.EpollSocketChannel",
                "io.netty.channel.kqueue.KQueueSocketChannel",
                "io.netty.channel.uring.IoUringSocketChannel",
            })
    void partsOfNettyThatAreNotThere(String part) {
        assertThatThrownBy(() -> Class.forName(part)).isInstanceOf(ClassNotFoundException.class);
    }
}

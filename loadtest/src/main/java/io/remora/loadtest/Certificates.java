package io.remora.loadtest;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.File;
import java.nio.file.Path;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;

/**
 * What TLS in a run takes, in a directory: {@code ca.crt}, which everybody trusts, and {@code NAME.crt} with {@code NAME.key} of {@code app},
 * the backend, and of {@code client}, who sends requests.
 *
 * @param isMutual whether clients have to show a certificate
 */
record Certificates(Path directory, boolean isMutual) {
    private static final String TLS = "tls";
    private static final String MTLS = "mtls";

    static Certificates of(String mode, String directory) {
        if (!mode.equals(TLS) && !mode.equals(MTLS)) {
            throw new IllegalArgumentException("neither tls nor mtls: " + mode);
        }
        return new Certificates(Path.of(directory), mode.equals(MTLS));
    }

    private File file(String name) {
        return directory.resolve(name).toFile();
    }

    /** Of the backend, by whatever is fastest here: it must not be what limits. */
    SslContext server() {
        try {
            return SslContextBuilder.forServer(file("app.crt"), file("app.key"))
                    .trustManager(file("ca.crt"))
                    .clientAuth(isMutual ? ClientAuth.REQUIRE : ClientAuth.NONE)
                    .applicationProtocolConfig(new ApplicationProtocolConfig(
                            ApplicationProtocolConfig.Protocol.ALPN,
                            ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                            ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                            ApplicationProtocolNames.HTTP_2,
                            ApplicationProtocolNames.HTTP_1_1))
                    .build();
        } catch (SSLException e) {
            throw unusable(e);
        }
    }

    /** Of who connects, for sockets. */
    SSLSocketFactory client() {
        SslContextBuilder builder =
                SslContextBuilder.forClient().sslProvider(SslProvider.JDK).trustManager(file("ca.crt"));
        if (isMutual) {
            builder.keyManager(file("client.crt"), file("client.key"));
        }
        try {
            return ((JdkSslContext) builder.build()).context().getSocketFactory();
        } catch (SSLException e) {
            throw unusable(e);
        }
    }

    private IllegalArgumentException unusable(SSLException cause) {
        return new IllegalArgumentException("the certificates in " + directory + " cannot be used", cause);
    }
}

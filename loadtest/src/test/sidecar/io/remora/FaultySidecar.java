package io.remora;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.ProxyConfig;
import io.remora.config.yaml.ConfigReader;
import io.remora.feature.FeatureList;
import io.remora.loadtest.faults.Faults;
import io.remora.serving.ProcessFiles;
import io.remora.serving.Seams;
import io.remora.serving.Shared;
import io.remora.transport.Handshake;
import io.remora.transport.Link;

/**
 * The sidecar, with the fault that the system property {@code remora.fault} names in each connection that it accepts: {@code
 * FaultySidecar run --config FILE}. Nothing else in it changes.
 *
 * <p>It stands in the sidecar's own package because that is where {@link Main#serve} takes the seams; its user compiles it
 * against the jar that is under test.
 */
final class FaultySidecar {
    private FaultySidecar() {}

    public static void main(String[] arguments) throws Exception {
        ChannelHandler fault = Faults.handler();
        Seams faulty = new Seams() {
            @Override
            public Handshake handshake(ListenerConfig listener, Shared shared) {
                return new Handshake() {
                    @Override
                    public void begin(Channel channel, Outcome outcome) {
                        channel.pipeline().addFirst(fault);
                        outcome.ready(new Link(channel));
                    }
                };
            }
        };
        String file = arguments[2];
        ProxyConfig config = ConfigReader.readFile(file, System.getenv(), new FeatureList());
        int status = Main.serve(config, new ProcessFiles(), faulty, file, null, false);
        Runtime.getRuntime().halt(status);
    }
}

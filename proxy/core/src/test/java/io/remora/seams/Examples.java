package io.remora.seams;

import io.remora.Proxy;
import io.remora.config.model.ConfigException;
import io.remora.config.yaml.ConfigReader;
import io.remora.feature.FeatureList;
import io.remora.testkit.RawClient;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** The configurations in {@code examples/}, as they are run. */
public final class Examples {
    private Examples() {}

    /** The example, with these of its comments in effect. */
    public static String with(String name, String... keys) throws IOException {
        Path top = Path.of("").toAbsolutePath();
        while (!Files.exists(top.resolve("examples"))) {
            top = top.getParent();
        }
        String yaml = Files.readString(top.resolve("examples").resolve(name));
        for (String key : keys) {
            if (!yaml.contains("# " + key + ":")) {
                throw new AssertionError("no comment with " + key + " in " + name);
            }
            yaml = yaml.replace("# " + key + ":", key + ":");
        }
        return yaml;
    }

    /** A sidecar with what an example has, or what {@link #with} has made of it. */
    public static Proxy start(String yaml, Map<String, String> environment) throws IOException, ConfigException {
        byte[] octets = yaml.getBytes(StandardCharsets.UTF_8);
        return Proxy.start(
                ConfigReader.read("example.yaml", new ByteArrayInputStream(octets), environment, new FeatureList()));
    }

    /** One request through the sidecar that it describes. */
    public static String ask(String yaml, Map<String, String> environment) throws IOException, ConfigException {
        try (Proxy proxy = start(yaml, environment);
                RawClient client = RawClient.connect(new InetSocketAddress(
                        "127.0.0.1", proxy.address("outbound").getPort()))) {
            return client.send(SeamStand.GET).response().bodyText();
        }
    }
}

package io.remora.check;

import io.remora.cluster.EngineProvider;
import io.remora.config.model.ConfigException;
import io.remora.config.model.EngineKind;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.PathConfig;
import io.remora.config.model.Problem;
import io.remora.config.model.ProxyConfig;
import io.remora.config.rules.NettyRefusals;
import io.remora.config.yaml.ConfigReader;
import io.remora.feature.FeatureList;
import io.remora.log.NettyLogging;
import io.remora.memory.NativePages;
import io.remora.process.LeanDefaults;
import io.remora.serving.OtherEngine;
import io.remora.serving.ProcessFiles;
import io.remora.transport.Descriptors;
import io.remora.transport.OriginalDestination;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The judgement that {@code remora check}, {@code remora run} and a reload share. Thread safe. */
public final class ConfigCheck {
    private ConfigCheck() {}

    /**
     * Reads a configuration file and judges it by itself.
     *
     * @param chosen by the command line, which takes precedence over the file; null for nothing
     */
    public static ProxyConfig read(String file, @Nullable Overrides chosen) throws ConfigException {
        ProxyConfig config = ConfigReader.readFile(file, System.getenv(), new FeatureList());
        return chosen == null ? config : chosen.over(config);
    }

    /** Sets the defaults of Netty before any class of it is loaded: left to itself, it looks for loggers that not every image has. */
    public static void prepareNetty() {
        LeanDefaults.set();
        NettyLogging.install();
    }

    /** Lists what the engine and the image cannot do of the configuration; empty where they can do everything. */
    public static List<String> refusals(String file, ProxyConfig config) throws ConfigException, IOException {
        List<String> refusals = new ArrayList<>();
        String name = ConfigReader.nameOf(file);
        String library = handOverProblem(name, config);
        if (library != null) {
            refusals.add(library);
        }
        if (config.engine() == EngineKind.NETTY) {
            for (Problem problem : NettyRefusals.of(name, config)) {
                refusals.add(problem.toString());
            }
            String missing = refusals.isEmpty() ? captureProblem(name, config) : null;
            if (missing != null) {
                refusals.add(missing);
            }
            return refusals;
        }
        prepareNetty();
        EngineProvider engine = OtherEngine.of(config.engine());
        for (String refusal : engine.refusals(config)) {
            refusals.add(name + ": " + refusal);
        }
        try {
            engine.check(name, config);
        } catch (ConfigException e) {
            for (Problem problem : e.problems()) {
                refusals.add(problem.toString());
            }
        }
        return refusals;
    }

    // apart from who calls it, so that its library is looked for only where it is wanted
    private static @Nullable String captureProblem(String file, ProxyConfig config) {
        String cluster = config.capturing();
        if (cluster == null || OriginalDestination.isThere()) {
            return null;
        }
        return file + ": clusters." + cluster + ".original-destination is not supported, the runtime images have"
                + " the library for it (libremora.so), and " + NativePages.whyNot();
    }

    // apart for the same reason
    private static @Nullable String handOverProblem(String file, ProxyConfig config) {
        if (!config.options().has(ProxyConfig.TAKEOVER) || Descriptors.isThere()) {
            return null;
        }
        return file + ": takeover is not supported, the runtime images have the library for it (libremora.so), and "
                + NativePages.whyNot();
    }

    /** Lists what may not be meant, and what the engine does otherwise than the default one. */
    public static List<String> warnings(String file, ProxyConfig config) throws IOException {
        List<String> found = new ArrayList<>();
        if (hasProxyProtocol(config)) {
            found.addAll(TrustWarnings.of(config));
        }
        if (matchesAsSent(config)) {
            found.addAll(PathWarnings.of(config));
        }
        if (config.engine() != EngineKind.NETTY) {
            found.addAll(OtherEngine.of(config.engine()).warnings(config));
        }
        List<String> warnings = new ArrayList<>();
        for (String one : found) {
            warnings.add(ConfigReader.nameOf(file) + ": warning: " + one);
        }
        return warnings;
    }

    // without it there is nothing to warn of, and no class for it to load
    private static boolean hasProxyProtocol(ProxyConfig config) {
        for (ListenerConfig listener : config.listeners()) {
            if (listener.options().has(ListenerConfig.PROXY_PROTOCOL)) {
                return true;
            }
        }
        return false;
    }

    private static boolean matchesAsSent(ProxyConfig config) {
        for (ListenerConfig listener : config.listeners()) {
            if (listener.path().mode() == PathConfig.Mode.AS_SENT) {
                return true;
            }
        }
        return false;
    }

    /** Judges the files that TLS needs, before anything is bound; returns lines about the certificates. */
    public static String judgeTls(String file, ProxyConfig config, ProcessFiles files) throws ConfigException {
        if (!config.hasTls()) {
            // none of its classes is loaded
            return "";
        }
        prepareNetty();
        return files.tls().check(ConfigReader.nameOf(file), config);
    }
}

package io.remora.config.keys;

import io.remora.cluster.AccrualPart;
import io.remora.cluster.BalancerPart;
import io.remora.cluster.BreakerPart;
import io.remora.cluster.CaptureConfig;
import io.remora.cluster.HealthCheckPart;
import io.remora.config.yaml.EndpointPart;
import io.remora.config.yaml.LogPart;
import io.remora.config.yaml.MatchPart;
import io.remora.config.yaml.SocketPart;
import io.remora.detect.DetectConfig;
import io.remora.discovery.ResolverPart;
import io.remora.discovery.SourcePart;
import io.remora.exchange.AdaptiveConfig;
import io.remora.exchange.RetryPart;
import io.remora.feature.answer.RedirectConfig;
import io.remora.feature.answer.RespondConfig;
import io.remora.feature.clients.ClientsConfig;
import io.remora.feature.fault.FaultKeys;
import io.remora.feature.grpc.GrpcKeys;
import io.remora.feature.hedge.HedgeKeys;
import io.remora.feature.mirror.MirrorKeys;
import io.remora.feature.ratelimit.RateLimitKeys;
import io.remora.feature.rewrite.HeaderConfig;
import io.remora.feature.rewrite.RewriteConfig;
import io.remora.feature.servertiming.ServerTimingKeys;
import io.remora.feature.split.SplitConfig;
import io.remora.feature.tracing.TracingKeys;
import io.remora.feature.trust.TrustKeys;
import io.remora.finaglekeys.AnnounceConfig;
import io.remora.finaglekeys.FinagleConfig;
import io.remora.finaglekeys.PluginsConfig;
import io.remora.finaglekeys.RequestDtabConfig;
import io.remora.http2.config.ClusterHttp2;
import io.remora.http2.config.Http2Config;
import io.remora.log.AccessLogConfig;
import io.remora.proxyprotocol.ProxyProtocolConfig;
import io.remora.takeover.TakeoverConfig;
import io.remora.template.TemplatePart;
import io.remora.tls.config.ClusterTls;
import io.remora.tls.config.ListenerTls;
import io.remora.warmupkeys.WarmUpConfig;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The table of docs/configuration.md, from the declarations of the keys: their values by reflection, their sentences from
 * the comments of the source.
 */
final class KeyTable {
    private static final List<Class<?>> TABLES = List.of(
            OperatorKeys.class,
            TakeoverConfig.class,
            WarmUpConfig.class,
            LogPart.class,
            PluginsConfig.class,
            FinagleConfig.class,
            AccessLogConfig.class,
            TracingKeys.class,
            ListenerKeys.class,
            SocketPart.class,
            ProxyProtocolConfig.class,
            RequestDtabConfig.class,
            AnnounceConfig.class,
            ClientsConfig.class,
            MatchPart.class,
            Http2Config.class,
            GrpcKeys.class,
            AdaptiveConfig.class,
            HedgeKeys.class,
            SplitConfig.class,
            RewriteConfig.class,
            HeaderConfig.class,
            RedirectConfig.class,
            RespondConfig.class,
            ServerTimingKeys.class,
            MirrorKeys.class,
            FaultKeys.class,
            ListenerTls.class,
            TrustKeys.class,
            RateLimitKeys.class,
            ClusterKeys.class,
            CaptureConfig.class,
            DetectConfig.class,
            EndpointPart.class,
            BalancerPart.class,
            ClusterTls.class,
            ClusterHttp2.class,
            RetryPart.class,
            AccrualPart.class,
            BreakerPart.class,
            HealthCheckPart.class,
            ResolverPart.class,
            SourcePart.class,
            TemplatePart.class);
    private static final Pattern DECLARATION = Pattern.compile(
            "/\\*\\*((?:(?!\\*/).)*)\\*/\\s*public static final (?:Key|(?:ValueKey|Choice)<[^>]*>) (\\w+) =",
            Pattern.DOTALL);

    private KeyTable() {}

    /** By path, in the order of the declarations. */
    static Map<String, Key> keys() {
        Map<String, Key> keys = new LinkedHashMap<>();
        for (Class<?> table : TABLES) {
            for (Field field : fields(table)) {
                Key key = key(field);
                if (keys.put(path(key), key) != null) {
                    throw new AssertionError(path(key) + " is declared twice");
                }
            }
        }
        return keys;
    }

    /** The table's lines, its head included. */
    static List<String> lines(Path sources) throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add("| key | value | default | description |");
        lines.add("|---|---|---|---|");
        Map<String, String> sentences = sentences(sources);
        addBelow(null, keys(), sentences, lines);
        return lines;
    }

    /** Adds the keys of a section in the order of their declarations, each with those below it, from all parts that declare them. */
    private static void addBelow(
            @Nullable Key parent, Map<String, Key> keys, Map<String, String> sentences, List<String> lines) {
        keys.forEach((path, key) -> {
            if (key.parent == parent) {
                lines.add("| `" + path + "` | " + value(key) + " | " + byDefault(key) + " | " + sentences.get(path)
                        + " |");
                addBelow(key, keys, sentences, lines);
            }
        });
    }

    /** What each key means, by path. */
    static Map<String, String> sentences(Path sources) throws IOException {
        Map<String, String> sentences = new LinkedHashMap<>();
        for (Class<?> table : TABLES) {
            Map<String, String> comments = comments(source(sources, table));
            for (Field field : fields(table)) {
                String sentence = comments.get(field.getName());
                if (sentence == null) {
                    throw new AssertionError(table.getSimpleName() + "." + field.getName() + " has no comment");
                }
                sentences.put(path(key(field)), sentence);
            }
        }
        return sentences;
    }

    private static List<Field> fields(Class<?> table) {
        List<Field> fields = new ArrayList<>();
        for (Field field : table.getDeclaredFields()) {
            if (Key.class.isAssignableFrom(field.getType())) {
                fields.add(field);
            }
        }
        return fields;
    }

    private static Key key(Field field) {
        try {
            return (Key) field.get(null);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    // a part or a feature has its keys in its own package
    private static Path source(Path config, Class<?> table) {
        String path = table.getPackageName().substring("io.remora.".length()).replace('.', '/');
        return config.getParent().resolveSibling(path).resolve(table.getSimpleName() + ".java");
    }

    private static Map<String, String> comments(Path source) throws IOException {
        Map<String, String> sentences = new LinkedHashMap<>();
        Matcher declaration = DECLARATION.matcher(Files.readString(source));
        while (declaration.find()) {
            String text =
                    declaration.group(1).replaceAll("\\s*\\n\\s*\\* ?", " ").strip();
            sentences.put(declaration.group(2), text.replaceAll("\\{@code ((?:[^{}]|\\{[^{}]*\\})*)\\}", "`$1`"));
        }
        return sentences;
    }

    static String path(Key key) {
        if (key.parent == null) {
            return key.name;
        }
        String parent = path(key.parent);
        if (key.parent.isList()) {
            parent += "[]";
        } else if (Key.CLUSTERS.equals(key.parent.type)) {
            parent += ".NAME";
        }
        return parent + "." + key.name;
    }

    private static String value(Key key) {
        if (key.type != null) {
            return key.type;
        }
        if (key instanceof Choice<?> choice) {
            return String.join(", ", Choice.names(Arrays.asList(choice.all())));
        }
        String range = key.format(key.min) + " to " + key.format(key.max);
        if (key.units == Units.DURATION) {
            return "duration";
        }
        if (key.units == Units.DURATION_OR_OFF) {
            return "duration, or off";
        }
        if (key.units == Units.SIZE_OR_OFF) {
            return "size, or off";
        }
        return key.units == Units.SIZE ? "size, " + range : range;
    }

    private static String byDefault(Key key) {
        if (key.required) {
            return "required";
        }
        if (key.fallbackText != null) {
            return "`" + key.fallbackText + "`";
        }
        if (key.max > 0) {
            return "`" + key.format(key.fallback) + "`";
        }
        return Key.MAPPING.equals(key.type) ? "on" : "none";
    }
}

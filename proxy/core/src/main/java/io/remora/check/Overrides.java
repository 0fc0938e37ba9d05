package io.remora.check;

import io.remora.config.model.Address;
import io.remora.config.model.EngineKind;
import io.remora.config.model.HealthConfig;
import io.remora.config.model.LogLevel;
import io.remora.config.model.ProxyConfig;
import io.remora.log.Log;
import io.remora.probes.AppProbes;
import io.remora.probes.AppProbesReader;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Options of the command line that take precedence over the configuration file, at the start and after each reload.
 * Immutable.
 *
 * <p>Cost: loaded only where there is one.
 *
 * @param engine null for that of the file
 * @param health address of the health listener, null for that of the file
 * @param admin address of the admin listener on loopback, without TLS; null for that of the file
 * @param probes of applications, null for none
 * @param level of the log, null for that of the file
 */
public record Overrides(
        @Nullable EngineKind engine,
        @Nullable Address health,
        @Nullable Address admin,
        @Nullable AppProbes probes,
        @Nullable LogLevel level) {
    public static final String ENGINE = "--engine";
    public static final String HEALTH = "--health";
    public static final String ADMIN = "--admin";
    public static final String PROBES = "--app-probes";
    public static final String LEVEL = "--log-level";

    /**
     * Reads options.
     *
     * @param words by option, the word behind it
     * @throws IllegalArgumentException with the problem and what to write instead
     */
    public static Overrides of(Map<String, String> words) {
        String engine = words.get(ENGINE);
        String health = words.get(HEALTH);
        String admin = words.get(ADMIN);
        String probes = words.get(PROBES);
        String level = words.get(LEVEL);
        return new Overrides(
                engine == null ? null : engine(engine),
                health == null ? null : address(HEALTH, health),
                admin == null ? null : loopback(admin),
                probes == null ? null : AppProbesReader.read(probes),
                level == null ? null : level(level));
    }

    private static EngineKind engine(String text) {
        EngineKind engine = EngineKind.of(text);
        if (engine == null) {
            throw new IllegalArgumentException("engine is '" + text + "', expected netty or finagle");
        }
        return engine;
    }

    private static LogLevel level(String text) {
        for (LogLevel one : LogLevel.values()) {
            if (one.name().toLowerCase(Locale.ROOT).equals(text)) {
                return one;
            }
        }
        throw new IllegalArgumentException(LEVEL + " is '" + text + "', expected debug, info, warn or error");
    }

    private static Address loopback(String text) {
        Address address = address(ADMIN, text);
        if (!address.isLoopback()) {
            throw new IllegalArgumentException(
                    ADMIN + " is '" + text + "', expected a loopback address such as 127.0.0.1:9990");
        }
        return address;
    }

    private static Address address(String option, String text) {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "" : text.substring(0, colon);
        int port = colon < 0 ? -1 : Address.portOf(text.substring(colon + 1));
        if (port < 0 || !(Address.isBracketed(host) ? Address.isIpV6(host) : Address.isHost(host))) {
            throw new IllegalArgumentException(option + " is '" + text + "', expected HOST:PORT or [IPV6]:PORT");
        }
        return new Address(Address.isBracketed(host) ? host.substring(1, host.length() - 1) : host, port);
    }

    /** Returns the configuration with these options. */
    public ProxyConfig over(ProxyConfig config) {
        ProxyConfig next = engine == null ? config : config.with(engine);
        next = level == null ? next : next.with(level);
        if (health != null) {
            HealthConfig was = config.health();
            HealthConfig given = new HealthConfig(health, null, was != null && was.metrics());
            next = next.with(next.options().with(ProxyConfig.HEALTH, given));
        }
        if (admin != null) {
            if (config.admin().heapDump() != null) {
                Log.warn("config: " + ADMIN + " replaces the address by a port without client certificates;"
                        + " admin.heap-dump is off");
            }
            next = next.with(config.admin().at(admin));
        }
        return probes == null ? next : next.with(next.options().with(AppProbes.APP_PROBES, probes));
    }
}

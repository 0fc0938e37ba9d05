package io.remora.config.text;

import io.remora.config.keys.Key;
import io.remora.config.keys.OperatorKeys;
import io.remora.config.keys.PlacedOption;
import io.remora.config.model.HealthConfig;
import io.remora.config.model.ProxyConfig;
import io.remora.config.yaml.LogPart;
import org.jspecify.annotations.Nullable;

/** The text of the process's and its operator's settings, for {@link ConfigText}. */
final class OperatorText {
    private final ConfigText text;

    OperatorText(ConfigText text) {
        this.text = text;
    }

    /** Writes everything that is above listeners and clusters, in the order of the page. */
    void show(ProxyConfig config) {
        text.put(OperatorKeys.WORKERS, config.workers());
        text.put(OperatorKeys.ENGINE, config.engine());
        text.placed(config.options(), OperatorKeys.PLUGINS);
        text.part(config.options(), ProxyConfig.FINAGLE, OperatorKeys.FINAGLE);
        text.put(OperatorKeys.DRAIN_TIMEOUT, config.drainTimeoutNs());
        text.put(OperatorKeys.DRAIN_IDLE, config.drainIdleNs());
        text.placed(config.options(), OperatorKeys.TAKEOVER);
        text.placed(config.options(), OperatorKeys.WARM_UP);
        text.section(OperatorKeys.RELOAD);
        text.put(OperatorKeys.RELOAD_WATCH, config.watch());
        text.section(OperatorKeys.WATCHDOG);
        text.put(OperatorKeys.WATCHDOG_LIVE, config.watchdogLiveNs());
        log(config);
        text.text(OperatorKeys.VIA, config.viaName());
        text.section(OperatorKeys.ADMIN_SECTION);
        text.text(OperatorKeys.ADMIN_ADDRESS, config.admin().address().toString());
        text.put(OperatorKeys.ADMIN_ALLOW_REMOTE, config.admin().allowRemote());
        text.socket(OperatorKeys.ADMIN_SOCKET, config.admin().socket());
        PlacedOption.showOrOff(text, config.admin().tls(), OperatorKeys.ADMIN_TLS);
        text.put(OperatorKeys.ADMIN_PAGES, OperatorKeys.pages(config.admin().acts()));
        text.put(OperatorKeys.ADMIN_PROFILE, config.admin().profile());
        String heapDump = config.admin().heapDump();
        if (heapDump == null) {
            text.plain(OperatorKeys.ADMIN_HEAP_DUMP, Key.OFF);
        } else {
            text.text(OperatorKeys.ADMIN_HEAP_DUMP, heapDump);
        }
        health(config.health());
        text.placed(config.options(), OperatorKeys.ACCESS_LOG);
    }

    private void health(@Nullable HealthConfig health) {
        if (health == null) {
            text.plain(OperatorKeys.HEALTH, Key.OFF);
        } else {
            text.section(OperatorKeys.HEALTH);
            text.text(OperatorKeys.HEALTH_ADDRESS, health.address().toString());
            text.socket(OperatorKeys.HEALTH_SOCKET, health.socket());
            text.put(OperatorKeys.HEALTH_METRICS, health.metrics());
        }
    }

    private void log(ProxyConfig config) {
        text.section(OperatorKeys.LOG);
        text.put(OperatorKeys.LOG_LEVEL_OF_ALL, config.logLevel());
        if (!config.logComponents().isEmpty()) {
            LogPart.show(text, config.logComponents());
        }
    }
}

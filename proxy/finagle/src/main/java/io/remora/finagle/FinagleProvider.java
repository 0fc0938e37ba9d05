package io.remora.finagle;

import com.twitter.finagle.Dtab;
import io.netty.buffer.ByteBufAllocator;
import io.remora.cluster.Backends;
import io.remora.cluster.EngineProvider;
import io.remora.config.model.ConfigException;
import io.remora.config.model.LogComponent;
import io.remora.config.model.PlacedText;
import io.remora.config.model.Problem;
import io.remora.config.model.ProxyConfig;
import io.remora.engine.Engine;
import io.remora.finaglekeys.FinagleConfig;
import io.remora.finaglekeys.PluginsConfig;
import io.remora.log.Log;
import io.remora.metrics.Stats;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The entry point that the sidecar looks up where the configuration selects Finagle. Thread safe. */
public final class FinagleProvider implements EngineProvider {
    @Override
    public List<String> refusals(ProxyConfig config) {
        return Refusals.of(config);
    }

    @Override
    public List<String> warnings(ProxyConfig config) {
        return Warnings.of(config);
    }

    @Override
    public void check(String name, ProxyConfig config) throws ConfigException {
        List<Problem> problems = new ArrayList<>();
        PluginsConfig plugins = config.options().get(PluginsConfig.PLUGINS);
        if (plugins != null) {
            problems.addAll(FilterClasses.problems(name, plugins));
        }
        problems.addAll(NameChecks.problems(name, config));
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
    }

    @Override
    public Engine engine(ProxyConfig config, Backends backends, ByteBufAllocator allocator, Stats stats)
            throws IOException {
        FinagleLog.install();
        for (String warning : Warnings.of(config)) {
            Log.warn(LogComponent.FINAGLE, warning);
        }
        PluginsConfig plugins = config.options().get(PluginsConfig.PLUGINS);
        UserFilters filters = plugins == null ? null : UserFilters.open(plugins);
        PlacedText dtab = FinagleConfig.dtab(config);
        Interpreter.install();
        return new FinagleEngine(
                backends, allocator, stats, filters, dtab == null ? Dtab.emptyDtab() : Dtab.read(dtab.text()));
    }
}

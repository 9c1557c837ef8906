package dev.varve.embedded;

import dev.varve.platform.host.CacheFolder;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.PluginSettings;
import dev.varve.platform.host.ShardProcessSettings;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/** Converts options to the settings of the host. */
final class OptionSettings {
    private static final String PROCESS = "@process";
    private static final String BEST = "auto:0";

    private OptionSettings() {}

    /**
     * Returns the settings of a model.
     *
     * @throws IllegalArgumentException if an option is out of its range
     */
    static HostSettings of(Path file, VarveOptions options) {
        Path cache =
                options.cacheFolder().orElseGet(() -> CacheFolder.of(OptionSettings::variable));
        // The folder of plugins is replaced by the plugins of this program.
        HostSettings settings =
                HostSettings.of(file, cache, cache)
                        .with(PluginSettings.installed(cache))
                        .withParallel(options.parallel());
        if (options.contextTokens().isPresent()) {
            settings =
                    settings.withSequences(options.contextTokens().getAsInt(), options.parallel());
        }
        if (options.threads().isPresent()) {
            settings = settings.withThreads(options.threads().getAsInt());
        }
        HostSettings placed = onDevices(settings, options);
        return options.isolation() == Isolation.NONE
                ? placed
                : placed.with(ShardProcessSettings.none().startedBy(ChildProgram.command(cache)));
    }

    private static HostSettings onDevices(HostSettings settings, VarveOptions options) {
        if (options.devices().isEmpty() && options.isolation() == Isolation.NONE) {
            return settings;
        }
        String named = options.devices().orElse(BEST);
        String devices =
                options.isolation() == Isolation.NONE
                        ? named
                        : Arrays.stream(named.split(","))
                                .map(each -> each.contains("@") ? each : each.strip() + PROCESS)
                                .collect(Collectors.joining(","));
        return options.split()
                .map(split -> settings.onDevices(devices, split))
                .orElseGet(() -> settings.onDevices(devices));
    }

    private static Optional<String> variable(String name) {
        return Optional.ofNullable(System.getenv(name)).filter(value -> !value.isBlank());
    }
}

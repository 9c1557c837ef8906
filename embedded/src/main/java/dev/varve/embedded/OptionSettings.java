package dev.varve.embedded;

import dev.varve.platform.host.CacheFolder;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.PluginSettings;
import dev.varve.platform.host.ShardProcessSettings;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;
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
        Path cache = cache(options.cacheFolder());
        HostSettings settings =
                withThreads(base(file, cache), options.threads()).withParallel(options.parallel());
        if (options.contextTokens().isPresent()) {
            settings =
                    settings.withSequences(options.contextTokens().getAsInt(), options.parallel());
        }
        HostSettings placed = onDevices(settings, options);
        return options.isolation() == Isolation.NONE
                ? placed
                : placed.with(ShardProcessSettings.none().startedBy(ChildProgram.command(cache)));
    }

    /**
     * Returns the settings of a model that computes vectors or scores.
     *
     * @throws IllegalArgumentException if an option is out of its range
     */
    static HostSettings of(Path file, EncoderOptions options) {
        HostSettings settings =
                withThreads(base(file, cache(options.cacheFolder())), options.threads());
        if (options.maxTokens().isPresent()) {
            settings = settings.withSequences(options.maxTokens().getAsInt(), 1);
        }
        return options.device().map(settings::onDevices).orElse(settings);
    }

    private static Path cache(Optional<Path> folder) {
        return folder.orElseGet(() -> CacheFolder.of(OptionSettings::variable));
    }

    /** The folder of plugins is replaced by the plugins of this program. */
    private static HostSettings base(Path file, Path cache) {
        return HostSettings.of(file, cache, cache).with(PluginSettings.installed(cache));
    }

    private static HostSettings withThreads(HostSettings settings, OptionalInt threads) {
        return threads.isPresent() ? settings.withThreads(threads.getAsInt()) : settings;
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

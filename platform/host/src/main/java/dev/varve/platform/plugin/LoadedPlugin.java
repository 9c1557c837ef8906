package dev.varve.platform.plugin;

import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A plugin that may be used.
 *
 * @param origin its file and module
 * @param services what it provides
 */
public record LoadedPlugin(PluginOrigin origin, PluginServices services) {
    /** Checks that nothing is missing. */
    public LoadedPlugin {
        Objects.requireNonNull(origin);
        Objects.requireNonNull(services);
    }

    /**
     * A plugin of providers that the program itself made.
     *
     * @param providers by kind
     * @throws IllegalArgumentException if one gives no name that can be used
     */
    public static LoadedPlugin of(
            PluginOrigin origin, Map<PluginServiceKind<?>, ? extends Collection<?>> providers) {
        try {
            return new LoadedPlugin(origin, PluginServices.read(providers));
        } catch (PluginRejectedException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /** The jar, or the folder of jars, that it came from. */
    public Path file() {
        return origin.file();
    }

    /** Name of the module with the providers; several are joined by commas. */
    public String module() {
        return origin.module();
    }

    /** Version of that module, where it carries one. */
    public Optional<String> version() {
        return origin.version();
    }

    /** What it serves, in one line: {@code models: qwen35; devices: cpu; transports: grpc}. */
    public String describeServices() {
        return services.toString();
    }
}

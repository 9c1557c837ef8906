package dev.varve.platform.plugin;

import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A loaded plugin.
 *
 * @param origin its file and module
 * @param services services that it provides
 */
public record LoadedPlugin(PluginOrigin origin, PluginServices services) {
    /** Checks that nothing is missing. */
    public LoadedPlugin {
        Objects.requireNonNull(origin);
        Objects.requireNonNull(services);
    }

    /**
     * Creates a plugin from providers that the program itself created.
     *
     * @param providers by kind
     * @throws IllegalArgumentException if one has no usable name
     */
    public static LoadedPlugin of(
            PluginOrigin origin, Map<PluginServiceKind<?>, ? extends Collection<?>> providers) {
        try {
            return new LoadedPlugin(origin, PluginServices.read(providers));
        } catch (PluginRejectedException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /** Returns the jar, or the folder of jars, of the plugin. */
    public Path file() {
        return origin.file();
    }

    /** Returns the name of the module with the providers; several are joined by commas. */
    public String module() {
        return origin.module();
    }

    /** Returns the version of that module, if it has one. */
    public Optional<String> version() {
        return origin.version();
    }

    /** Returns its services in one line: {@code models: qwen35; devices: cpu; transports: grpc}. */
    public String describeServices() {
        return services.toString();
    }
}

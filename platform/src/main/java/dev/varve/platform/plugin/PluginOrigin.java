package dev.varve.platform.plugin;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * Where a plugin came from.
 *
 * @param file the jar, or the folder of jars
 * @param module name of the module with the providers; several are joined by commas
 * @param version version of that module, where it carries one
 */
public record PluginOrigin(Path file, String module, Optional<String> version) {
    /** Checks that nothing is missing. */
    public PluginOrigin {
        Objects.requireNonNull(file);
        Objects.requireNonNull(module);
        Objects.requireNonNull(version);
    }

    /**
     * The module of the plugin that a provider, or what it opened, comes from; its class where it
     * is in no module.
     */
    public static String moduleOf(Object service) {
        Class<?> type = service.getClass();
        return PluginCalls.origin(service)
                .map(PluginOrigin::module)
                .orElseGet(
                        () ->
                                type.getModule().isNamed()
                                        ? type.getModule().getName()
                                        : type.getName());
    }

    /** The module with its file, as messages name it: {@code module acme.net (acme.jar)}. */
    @Override
    public String toString() {
        return "module " + module + " (" + file.getFileName() + ")";
    }
}

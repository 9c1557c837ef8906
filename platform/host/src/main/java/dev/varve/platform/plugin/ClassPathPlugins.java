package dev.varve.platform.plugin;

import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * Finds the plugins among the program's own jars, on the class path and the module path, with
 * {@link ServiceLoader}. Providers of the same jar form one plugin.
 */
final class ClassPathPlugins {
    /** Module in messages for jars on the class path. */
    private static final String UNNAMED = "on the class path";

    private final ClassLoader loader;
    private final Map<PluginOrigin, Map<PluginServiceKind<?>, List<Object>>> found =
            new LinkedHashMap<>();

    private ClassPathPlugins(ClassLoader loader) {
        this.loader = loader;
    }

    /**
     * Creates the providers that a class loader finds.
     *
     * @throws IllegalArgumentException if one has no usable name
     * @throws java.util.ServiceConfigurationError if one cannot be created
     */
    static List<LoadedPlugin> load(ClassLoader loader) {
        ClassPathPlugins plugins = new ClassPathPlugins(loader);
        PluginServiceKind.ALL.forEach(plugins::add);
        List<LoadedPlugin> loaded = new ArrayList<>();
        plugins.found.forEach(
                (origin, providers) -> loaded.add(LoadedPlugin.of(origin, providers)));
        return loaded;
    }

    private void add(PluginServiceKind<?> kind) {
        for (Object provider : ServiceLoader.load(kind.service(), loader)) {
            found.computeIfAbsent(origin(provider.getClass()), each -> new LinkedHashMap<>())
                    .computeIfAbsent(kind, each -> new ArrayList<>())
                    .add(provider);
        }
    }

    private static PluginOrigin origin(Class<?> provider) {
        Module module = provider.getModule();
        return new PluginOrigin(
                Path.of(file(provider)),
                module.isNamed() ? module.getName() : UNNAMED,
                Optional.ofNullable(module.getDescriptor())
                        .flatMap(descriptor -> descriptor.rawVersion()));
    }

    /** Returns the name of the jar; for a class that is in none, that of its package. */
    private static String file(Class<?> provider) {
        CodeSource source = provider.getProtectionDomain().getCodeSource();
        if (source == null || source.getLocation() == null) {
            return provider.getPackageName();
        }
        // A jar within a jar has a URL that is no path, such as that of a Spring Boot program.
        String url = source.getLocation().toString();
        String stripped = url.endsWith("!/") ? url.substring(0, url.length() - 2) : url;
        String trimmed =
                stripped.endsWith("/") ? stripped.substring(0, stripped.length() - 1) : stripped;
        return trimmed.substring(trimmed.lastIndexOf('/') + 1);
    }
}

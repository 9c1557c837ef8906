package dev.varve.platform.plugin;

import java.lang.module.Configuration;
import java.lang.module.FindException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.lang.module.ResolutionException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Resolves one entry of the plugins folder into a module layer below {@code parent} and creates its
 * providers.
 */
final class PluginLoader {
    private final ModuleLayer parent;
    private final ModuleRules rules;

    PluginLoader(ModuleLayer parent) {
        this.parent = parent;
        rules = new ModuleRules(parent);
    }

    /**
     * Loads a jar or a folder of jars.
     *
     * @throws PluginRejectedException with the reason if any part of it cannot be used
     */
    LoadedPlugin load(Path file) throws PluginRejectedException {
        try (PluginSystemExit.Scope _ = PluginSystemExit.loading(file)) {
            ModuleLayer layer = layer(file);
            Map<PluginServiceKind<?>, List<Object>> providers = new LinkedHashMap<>();
            for (PluginServiceKind<?> spi : PluginServiceKind.ALL) {
                providers.put(spi, providers(layer, spi.service()));
            }
            if (providers.values().stream().allMatch(List::isEmpty)) {
                throw new PluginRejectedException(
                        "module "
                                + names(layer.modules())
                                + " provides "
                                + PluginServiceKind.none());
            }
            List<Module> modules =
                    providers.values().stream()
                            .flatMap(List::stream)
                            .map(provider -> provider.getClass().getModule())
                            .distinct()
                            .toList();
            Optional<String> version =
                    modules.getFirst()
                            .getDescriptor()
                            .version()
                            .map(ModuleDescriptor.Version::toString);
            return new LoadedPlugin(
                    new PluginOrigin(file, names(modules), version),
                    PluginServices.read(providers));
        } catch (FindException | ResolutionException | LayerInstantiationException e) {
            throw new PluginRejectedException(PluginRejectedException.reasonOf(e), e);
        } catch (RuntimeException | Error e) {
            PluginRejectedException.rethrowIfOfTheMachine(e);
            throw new PluginRejectedException(
                    "its code fails: " + PluginRejectedException.reasonOf(e), e);
        }
    }

    private ModuleLayer layer(Path file) throws PluginRejectedException {
        if (!Files.isDirectory(file) && !file.getFileName().toString().endsWith(".jar")) {
            throw new PluginRejectedException("expected a jar or a folder of jars");
        }
        ModuleFinder finder = ModuleFinder.of(file);
        List<ModuleReference> modules =
                finder.findAll().stream()
                        .sorted(Comparator.comparing(module -> module.descriptor().name()))
                        .toList();
        if (modules.isEmpty()) {
            throw new PluginRejectedException("the folder holds no jar");
        }
        Set<String> roots = new TreeSet<>();
        for (ModuleReference module : modules) {
            rules.check(module);
            roots.add(module.descriptor().name());
        }
        Configuration configuration =
                parent.configuration().resolve(finder, ModuleFinder.of(), roots);
        return parent.defineModulesWithOneLoader(
                configuration, ClassLoader.getPlatformClassLoader());
    }

    private static List<Object> providers(ModuleLayer layer, Class<?> service)
            throws PluginRejectedException {
        List<Object> providers = new ArrayList<>();
        List<? extends ServiceLoader.Provider<?>> found =
                ServiceLoader.load(layer, service).stream()
                        .filter(provider -> provider.type().getModule().getLayer() == layer)
                        .toList();
        for (ServiceLoader.Provider<?> provider : found) {
            try {
                providers.add(provider.get());
            } catch (ServiceConfigurationError e) {
                Throwable problem = Optional.ofNullable(e.getCause()).orElse(e);
                PluginRejectedException.rethrowIfOfTheMachine(problem);
                throw PluginRejectedException.codeFails(
                        provider.type(), "during construction", problem);
            }
        }
        return providers;
    }

    private static String names(Collection<Module> modules) {
        return modules.stream()
                .map(Module::getName)
                .sorted(Comparator.naturalOrder())
                .collect(Collectors.joining(", "));
    }
}

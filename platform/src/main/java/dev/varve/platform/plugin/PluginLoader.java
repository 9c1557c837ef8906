package dev.varve.platform.plugin;

import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.transport.TransportProvider;

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
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Resolves one entry of the plugins folder into a module layer below {@code parent} and makes its
 * providers.
 */
final class PluginLoader {
    private final ModuleLayer parent;

    PluginLoader(ModuleLayer parent) {
        this.parent = parent;
    }

    /**
     * Loads a jar or a folder of jars.
     *
     * @throws PluginRejection with the reason if any part of it cannot be used
     */
    LoadedPlugin load(Path file) throws PluginRejection {
        try {
            ModuleLayer layer = layer(file);
            List<ModelFamilyProvider> families = providers(layer, ModelFamilyProvider.class);
            List<DeviceBackendProvider> backends = providers(layer, DeviceBackendProvider.class);
            List<TransportProvider> transports = providers(layer, TransportProvider.class);
            if (families.isEmpty() && backends.isEmpty() && transports.isEmpty()) {
                throw new PluginRejection(
                        "module "
                                + names(layer.modules())
                                + " provides no model family, no device and no transport");
            }
            List<Module> modules =
                    Stream.of(families, backends, transports)
                            .flatMap(List::stream)
                            .map(provider -> provider.getClass().getModule())
                            .distinct()
                            .toList();
            Optional<String> version =
                    modules.getFirst()
                            .getDescriptor()
                            .version()
                            .map(ModuleDescriptor.Version::toString);
            LoadedPlugin plugin =
                    new LoadedPlugin(file, names(modules), version, families, backends, transports);
            requireNames(plugin);
            requireSchemes(plugin);
            return plugin;
        } catch (FindException | ResolutionException | LayerInstantiationException e) {
            throw new PluginRejection(PluginRejection.reasonOf(e), e);
        } catch (RuntimeException | LinkageError | ServiceConfigurationError e) {
            throw new PluginRejection("its code fails: " + PluginRejection.reasonOf(e), e);
        }
    }

    private ModuleLayer layer(Path file) throws PluginRejection {
        if (!Files.isDirectory(file) && !file.getFileName().toString().endsWith(".jar")) {
            throw new PluginRejection("expected a jar or a folder of jars");
        }
        ModuleFinder finder = ModuleFinder.of(file);
        Set<String> roots =
                finder.findAll().stream()
                        .map(ModuleReference::descriptor)
                        .map(ModuleDescriptor::name)
                        .collect(Collectors.toCollection(TreeSet::new));
        if (roots.isEmpty()) {
            throw new PluginRejection("the folder holds no jar");
        }
        for (String root : roots) {
            // A second copy of the API would have its own, incompatible service types.
            if (parent.findModule(root).isPresent()) {
                throw new PluginRejection(
                        "it carries module " + root + ", which is part of the server already");
            }
        }
        Configuration configuration =
                parent.configuration().resolve(finder, ModuleFinder.of(), roots);
        return parent.defineModulesWithOneLoader(
                configuration, ClassLoader.getPlatformClassLoader());
    }

    private static <T> List<T> providers(ModuleLayer layer, Class<T> service) {
        List<T> providers = new ArrayList<>();
        ServiceLoader.load(layer, service).stream()
                .filter(provider -> provider.type().getModule().getLayer() == layer)
                .forEach(provider -> providers.add(provider.get()));
        return providers;
    }

    /**
     * Names are read once here, so that a provider that fails to give one is refused, not met
     * later.
     */
    private static void requireNames(LoadedPlugin plugin) throws PluginRejection {
        for (ModelFamilyProvider family : plugin.families()) {
            if (family.architectures().isEmpty()
                    || family.architectures().stream().anyMatch(String::isBlank)) {
                throw new PluginRejection(family.getClass().getName() + " names no architecture");
            }
        }
        for (DeviceBackendProvider backend : plugin.backends()) {
            if (backend.name() == null || !backend.name().matches("[a-z][a-z0-9_-]*")) {
                throw new PluginRejection(
                        backend.getClass().getName()
                                + ": expected a backend name of small letters and digits, found "
                                + backend.name());
            }
        }
    }

    private static void requireSchemes(LoadedPlugin plugin) throws PluginRejection {
        for (TransportProvider transport : plugin.transports()) {
            String scheme = transport.scheme();
            if (scheme == null || !scheme.matches("[a-z][a-z0-9_-]*")) {
                throw new PluginRejection(
                        transport.getClass().getName()
                                + ": expected a transport scheme of small letters and digits, found"
                                + " "
                                + scheme);
            }
        }
    }

    private static String names(Collection<Module> modules) {
        return modules.stream()
                .map(Module::getName)
                .sorted(Comparator.naturalOrder())
                .collect(Collectors.joining(", "));
    }
}

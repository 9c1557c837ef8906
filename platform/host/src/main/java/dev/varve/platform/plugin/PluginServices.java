package dev.varve.platform.plugin;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Services of one plugin, by kind, with the names as they were read when it was loaded. */
public final class PluginServices {
    /**
     * A provider as the plugin created it.
     *
     * @param names the names that it had when it was loaded, in alphabetical order
     */
    record Service<T>(T provider, List<String> names) {}

    private final Map<PluginServiceKind<?>, List<? extends Service<?>>> services;

    private PluginServices(Map<PluginServiceKind<?>, List<? extends Service<?>>> services) {
        this.services = services;
    }

    /**
     * Reads the names of providers.
     *
     * @param providers by kind, in the order of the module declaration
     * @throws PluginRejectedException if one has no usable name, or fails to return its names
     */
    static PluginServices read(Map<PluginServiceKind<?>, ? extends Collection<?>> providers)
            throws PluginRejectedException {
        Map<PluginServiceKind<?>, List<? extends Service<?>>> services = new LinkedHashMap<>();
        for (PluginServiceKind<?> spi : PluginServiceKind.ALL) {
            Collection<?> ofKind = providers.get(spi);
            services.put(spi, ofKind == null ? List.of() : read(spi, ofKind));
        }
        return new PluginServices(services);
    }

    private static <T> List<Service<T>> read(PluginServiceKind<T> spi, Collection<?> providers)
            throws PluginRejectedException {
        List<Service<T>> found = new ArrayList<>();
        for (Object made : providers) {
            T provider = spi.service().cast(made);
            found.add(new Service<>(provider, names(spi, provider)));
        }
        return List.copyOf(found);
    }

    private static <T> List<String> names(PluginServiceKind<T> spi, T provider)
            throws PluginRejectedException {
        try {
            return spi.names().of(provider);
        } catch (RuntimeException | Error e) {
            PluginRejectedException.rethrowIfOfTheMachine(e);
            throw PluginRejectedException.codeFails(
                    provider.getClass(), "when asked for its " + spi.words().name(), e);
        }
    }

    /** Returns the providers of a kind, in the order of the module declaration. */
    @SuppressWarnings("unchecked") // read() stores the services of a kind under that kind
    <T> List<Service<T>> of(PluginServiceKind<T> spi) {
        return (List<Service<T>>) services.get(spi);
    }

    /**
     * Returns the providers of a kind as the plugin created them, in the order of the module
     * declaration.
     */
    public <T> List<T> providers(PluginServiceKind<T> spi) {
        return of(spi).stream().map(Service::provider).toList();
    }

    /** Returns all names of a kind. */
    public List<String> names(PluginServiceKind<?> spi) {
        return services.get(spi).stream().flatMap(service -> service.names().stream()).toList();
    }

    /** Returns the services in one line: {@code models: qwen35; devices: cpu; transports: grpc}. */
    @Override
    public String toString() {
        return PluginServiceKind.ALL.stream()
                .filter(spi -> !names(spi).isEmpty())
                .map(spi -> spi.words().served() + ": " + String.join(", ", names(spi)))
                .collect(Collectors.joining("; "));
    }
}

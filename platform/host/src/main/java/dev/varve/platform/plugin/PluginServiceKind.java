package dev.varve.platform.plugin;

import dev.varve.api.VarveException.Kind;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.event.CacheListenerProvider;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.snapshot.SharedStoreProvider;
import dev.varve.api.snapshot.SnapshotStoreProvider;
import dev.varve.api.speculation.SpeculatorProvider;
import dev.varve.api.telemetry.TraceExporterProvider;
import dev.varve.api.transport.TransportProvider;
import dev.varve.api.vision.ImageEncoderProvider;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Kind of service that plugins provide. This class holds everything that the catalog needs of a
 * kind, so a new kind is a constant in this class, its place in {@link #ALL} and a {@code uses} in
 * the module's descriptor.
 *
 * @param <T> the service's interface
 */
public final class PluginServiceKind<T> {
    /** Model families, by the architectures that they serve. */
    public static final PluginServiceKind<ModelFamilyProvider> FAMILIES =
            new PluginServiceKind<>(
                    ModelFamilyProvider.class,
                    new Words("model family", "architecture", "models", "architectures"),
                    new UnknownNameError(
                            Kind.UNSUPPORTED_MODEL, "no plugin serves architecture %s"),
                    ProviderNameReader.anyText("architecture", ModelFamilyProvider::architectures));

    /** Device backends, by their names in device references. */
    public static final PluginServiceKind<DeviceBackendProvider> BACKENDS =
            new PluginServiceKind<>(
                    DeviceBackendProvider.class,
                    new Words("device", "backend", "devices", "backends"),
                    new UnknownNameError(Kind.UNAVAILABLE, "no plugin provides device backend %s"),
                    ProviderNameReader.oneWord("backend name", DeviceBackendProvider::name));

    /** Transports, by the schemes of their addresses. */
    public static final PluginServiceKind<TransportProvider> TRANSPORTS =
            new PluginServiceKind<>(
                    TransportProvider.class,
                    new Words("transport", "transport", "transports", "transports"),
                    new UnknownNameError(Kind.UNAVAILABLE, "no transport for %s: addresses"),
                    ProviderNameReader.oneWord("transport scheme", TransportProvider::scheme));

    /** Stores of cached prefixes, by their names. */
    public static final PluginServiceKind<SnapshotStoreProvider> STORES =
            new PluginServiceKind<>(
                    SnapshotStoreProvider.class,
                    new Words("store", "store", "stores", "stores"),
                    new UnknownNameError(Kind.UNAVAILABLE, "no plugin provides store %s"),
                    ProviderNameReader.oneWord("store name", SnapshotStoreProvider::name));

    /** Stores that several servers share, by the schemes of their addresses. */
    public static final PluginServiceKind<SharedStoreProvider> SHARED_STORES =
            new PluginServiceKind<>(
                    SharedStoreProvider.class,
                    new Words(
                            "shared store",
                            "scheme of shared stores",
                            "shared stores",
                            "shared_stores"),
                    new UnknownNameError(
                            Kind.UNAVAILABLE,
                            "no plugin provides a shared store for %s: addresses"),
                    ProviderNameReader.words("store scheme", SharedStoreProvider::schemes));

    /** Listeners that report cached prefixes to routers, by the schemes of their addresses. */
    public static final PluginServiceKind<CacheListenerProvider> CACHE_LISTENERS =
            new PluginServiceKind<>(
                    CacheListenerProvider.class,
                    new Words(
                            "cache listener",
                            "scheme of cache events",
                            "cache listeners",
                            "cache_listeners"),
                    new UnknownNameError(
                            Kind.UNAVAILABLE, "no plugin sends cache events to %s: addresses"),
                    ProviderNameReader.oneWord("event scheme", CacheListenerProvider::scheme));

    /** Speculators, by their names. */
    public static final PluginServiceKind<SpeculatorProvider> SPECULATORS =
            new PluginServiceKind<>(
                    SpeculatorProvider.class,
                    new Words("speculator", "speculator", "speculators", "speculators"),
                    new UnknownNameError(Kind.UNAVAILABLE, "no plugin provides speculator %s"),
                    ProviderNameReader.oneWord("speculator name", SpeculatorProvider::name));

    /** Exporters of request traces, by their names. */
    public static final PluginServiceKind<TraceExporterProvider> TRACE_EXPORTERS =
            new PluginServiceKind<>(
                    TraceExporterProvider.class,
                    new Words(
                            "trace exporter",
                            "trace exporter",
                            "trace exporters",
                            "trace_exporters"),
                    new UnknownNameError(Kind.UNAVAILABLE, "no plugin provides trace exporter %s"),
                    ProviderNameReader.oneWord("trace exporter name", TraceExporterProvider::name));

    /** Image encoders, by the types of their projector files. */
    public static final PluginServiceKind<ImageEncoderProvider> IMAGE_ENCODERS =
            new PluginServiceKind<>(
                    ImageEncoderProvider.class,
                    new Words(
                            "image encoder", "projector type", "image encoders", "image_encoders"),
                    new UnknownNameError(
                            Kind.UNSUPPORTED_MODEL, "no plugin encodes images with projector %s"),
                    ProviderNameReader.anyText(
                            "projector type", ImageEncoderProvider::projectorTypes));

    /** All kinds, in the order of messages. */
    public static final List<PluginServiceKind<?>> ALL =
            List.of(
                    FAMILIES,
                    BACKENDS,
                    TRANSPORTS,
                    STORES,
                    SHARED_STORES,
                    CACHE_LISTENERS,
                    SPECULATORS,
                    TRACE_EXPORTERS,
                    IMAGE_ENCODERS);

    /**
     * Words for a kind in messages.
     *
     * @param provider word for a provider: {@code model family}
     * @param name word for its name: {@code architecture}
     * @param served label of a list of its names: {@code models}
     * @param key key of its names in JSON: {@code architectures}
     */
    record Words(String provider, String name, String served, String key) {}

    /**
     * Error texts of a kind of service.
     *
     * @param kind exception kind for an unknown name, and for a provider's unexpected failure
     * @param unknown message for an unknown name, which is its argument
     */
    record UnknownNameError(Kind kind, String unknown) {}

    private final Class<T> service;
    private final Words words;
    private final UnknownNameError trouble;
    private final ProviderNameReader<T> names;

    private PluginServiceKind(
            Class<T> service, Words words, UnknownNameError trouble, ProviderNameReader<T> names) {
        this.service = service;
        this.words = words;
        this.trouble = trouble;
        this.names = names;
    }

    /** Returns the interface that providers implement. */
    Class<T> service() {
        return service;
    }

    Words words() {
        return words;
    }

    UnknownNameError trouble() {
        return trouble;
    }

    ProviderNameReader<T> names() {
        return names;
    }

    /** Returns the JSON key for the names of this kind, such as {@code architectures}. */
    public String key() {
        return words.key();
    }

    /**
     * Returns the kinds in words: {@code no model family, no device, no transport and no store}.
     */
    static String none() {
        String all =
                ALL.stream()
                        .map(spi -> "no " + spi.words.provider())
                        .collect(Collectors.joining(", "));
        int last = all.lastIndexOf(", ");
        return all.substring(0, last) + " and " + all.substring(last + 2);
    }

    /** Returns the interface's name, for debugging. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "PluginServiceKind[%s]", service.getSimpleName());
    }
}

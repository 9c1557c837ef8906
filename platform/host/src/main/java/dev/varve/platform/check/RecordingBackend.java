package dev.varve.platform.check;

import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceBackend;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.platform.plugin.LoadedPlugin;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.plugin.PluginOrigin;
import dev.varve.platform.plugin.PluginServiceKind;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * A backend whose devices are replaced by others that compute on them, so that also the operators
 * of draft models are recorded.
 */
record RecordingBackend(DeviceBackendProvider provider, UnaryOperator<ComputeDevice> recording)
        implements DeviceBackendProvider {
    /** The devices of the backend. */
    private record Devices(DeviceBackend backend, UnaryOperator<ComputeDevice> recording)
            implements DeviceBackend {
        @Override
        public List<DeviceInfo> devices() {
            return backend.devices();
        }

        @Override
        public ComputeDevice open(int index, DeviceOptions options) {
            return recording.apply(backend.open(index, options));
        }

        @Override
        public List<Path> systemLibraries() {
            return backend.systemLibraries();
        }
    }

    /** Returns the families and backends of a catalog, with one backend replaced. */
    static PluginCatalog replace(
            PluginCatalog catalog, String name, UnaryOperator<ComputeDevice> recording) {
        List<DeviceBackendProvider> backends = new ArrayList<>();
        for (DeviceBackendProvider each : catalog.backends().values()) {
            backends.add(each.name().equals(name) ? new RecordingBackend(each, recording) : each);
        }
        return PluginCatalog.of(
                List.of(
                        LoadedPlugin.of(
                                new PluginOrigin(Path.of(""), "check", Optional.empty()),
                                Map.of(
                                        PluginServiceKind.FAMILIES,
                                        Set.copyOf(catalog.families().values()),
                                        PluginServiceKind.BACKENDS,
                                        backends))));
    }

    @Override
    public String name() {
        return provider.name();
    }

    @Override
    public String ggmlVersion() {
        return provider.ggmlVersion();
    }

    @Override
    public DeviceBackend open(BackendOptions options) {
        return new Devices(provider.open(options), recording);
    }
}

package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.platform.placement.LocalBackends;
import dev.varve.platform.plugin.PluginCatalog;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Estimates which devices have memory for a model.
 *
 * @param devices all devices of all backends
 */
record DeviceMemory(List<DeviceInfo> devices) {
    /**
     * Memory for caches and buffers as a share of the weights, estimated; {@code varve plan}
     * computes it.
     */
    private static final double MORE = 0.2;

    DeviceMemory {
        devices = List.copyOf(devices);
    }

    /** Opens all backends; those that are unavailable have no devices. */
    static DeviceMemory of(PluginCatalog catalog, Supplier<BackendOptions> options) {
        if (catalog.backends().isEmpty()) {
            return new DeviceMemory(List.of());
        }
        List<DeviceInfo> devices = new ArrayList<>();
        try {
            LocalBackends backends = new LocalBackends(catalog.backends(), options.get());
            catalog.backends().keySet().forEach(name -> devices.addAll(devices(backends, name)));
        } catch (VarveException e) {
            // Without a usable cache folder no backend can be opened; varve devices shows that.
        }
        return new DeviceMemory(devices);
    }

    private static List<DeviceInfo> devices(LocalBackends backends, String name) {
        try {
            return backends.open(name).devices();
        } catch (VarveException e) {
            // varve devices shows the reason.
            return List.of();
        }
    }

    /** Names of the devices whose free memory exceeds the weights by a fifth. */
    List<String> fitting(long weightBytes) {
        return devices.stream()
                .filter(device -> device.memoryFreeBytes() >= weightBytes * (1 + MORE))
                .map(DeviceInfo::name)
                .toList();
    }
}

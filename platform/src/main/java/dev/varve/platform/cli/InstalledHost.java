package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.LocalBackends;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.remote.ShardHost;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Devices and families of this installation, and the model files that a person named. */
final class InstalledHost implements ShardHost {
    private final PluginCatalog catalog;
    private final LocalBackends backends;
    private final List<DeviceReference> allowed;
    private final List<Path> models;
    private final List<Path> folders;

    /**
     * @param allowed devices that servers may use; empty: all
     * @param models model files
     * @param folders folders of model files
     */
    InstalledHost(
            PluginCatalog catalog,
            LocalBackends backends,
            List<DeviceReference> allowed,
            List<Path> models,
            List<Path> folders) {
        this.catalog = catalog;
        this.backends = backends;
        this.allowed = List.copyOf(allowed);
        this.models = List.copyOf(models);
        this.folders = List.copyOf(folders);
    }

    /** Fails now rather than with the first server if a device is not there. */
    void requireDevices() {
        allowed.forEach(backends::info);
    }

    @Override
    public synchronized List<DeviceInfo> devices() {
        List<DeviceInfo> found = new ArrayList<>();
        if (!allowed.isEmpty()) {
            allowed.forEach(device -> found.add(backends.info(device)));
            return found;
        }
        for (String backend : catalog.backends().keySet()) {
            try {
                found.addAll(backends.open(backend).devices());
            } catch (VarveException e) {
                System.getLogger(InstalledHost.class.getName())
                        .log(System.Logger.Level.DEBUG, e.getMessage());
            }
        }
        return found;
    }

    @Override
    public synchronized ComputeDevice open(String device, DeviceOptions options) {
        DeviceReference reference;
        try {
            reference = DeviceReference.parse(device);
        } catch (IllegalArgumentException e) {
            throw new VarveException(VarveException.Kind.INVALID_REQUEST, e.getMessage(), e);
        }
        if (!reference.isLocal()) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    device + ": a shard process computes on devices of its own only");
        }
        if (!allowed.isEmpty() && !allowed.contains(reference)) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    device + ": this shard offers " + allowed + " only");
        }
        return backends.openDevice(reference, options);
    }

    @Override
    public GgufFile model(String name) {
        for (Path file : models) {
            if (file.getFileName().toString().equals(name)) {
                return GgufFile.open(file);
            }
        }
        for (Path folder : folders) {
            Path file = folder.resolve(name);
            if (Files.isRegularFile(file)) {
                return GgufFile.open(file);
            }
        }
        throw new VarveException(
                VarveException.Kind.UNREADABLE_FILE,
                name
                        + ": this shard has no such model; it looks among --model "
                        + models
                        + " and in --models "
                        + folders);
    }

    @Override
    public LayerSplitAdapter adapter(GgufFile file, ModelOptions options) {
        return catalog.family(file.architecture(), file.path()).open(file, options);
    }
}

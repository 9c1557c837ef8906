package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.vision.ImageEncoder;
import dev.varve.platform.content.TensorDigests;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.LocalBackends;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.remote.ShardResources;
import dev.varve.platform.runtime.ZeroTensors;
import dev.varve.platform.setting.Setting;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Resources of a shard process: devices and families of this installation, and the model files that
 * the operator named. Thread-safe.
 */
@SuppressWarnings("exports") // see package-info
public final class InstalledShardResources implements ShardResources {
    /**
     * Devices and models that servers may use.
     *
     * @param devices devices of this process; empty: all
     * @param models model files
     * @param folders folders of model files
     * @param adapterFolders folders of LoRA adapters, with the folders below them
     */
    public record Permitted(
            List<DeviceReference> devices,
            List<Path> models,
            List<Path> folders,
            List<Path> adapterFolders) {
        /** Copies the lists. */
        public Permitted {
            devices = List.copyOf(devices);
            models = List.copyOf(models);
            folders = List.copyOf(folders);
            adapterFolders = List.copyOf(adapterFolders);
        }

        /** Permits no folders of adapters. */
        public Permitted(List<DeviceReference> devices, List<Path> models, List<Path> folders) {
            this(devices, models, folders, List.of());
        }
    }

    private final PluginCatalog catalog;
    private final LocalBackends backends;
    private final Permitted permitted;
    private final TensorDigests digests;

    /**
     * Offers the devices and families of plugins.
     *
     * @param digests of the model files' tensors
     */
    public InstalledShardResources(
            PluginCatalog catalog,
            LocalBackends backends,
            Permitted permitted,
            TensorDigests digests) {
        this.catalog = catalog;
        this.backends = backends;
        this.permitted = permitted;
        this.digests = digests;
    }

    /**
     * Checks at start, before a server connects, that all devices exist.
     *
     * @throws VarveException of kind UNAVAILABLE if one is missing
     */
    public synchronized void requireDevices() {
        permitted.devices().forEach(backends::info);
    }

    @Override
    public synchronized List<DeviceInfo> devices() {
        List<DeviceInfo> found = new ArrayList<>();
        if (!permitted.devices().isEmpty()) {
            permitted.devices().forEach(device -> found.add(backends.info(device)));
            return found;
        }
        for (String backend : catalog.backends().keySet()) {
            try {
                found.addAll(backends.open(backend).devices());
            } catch (VarveException e) {
                System.getLogger(InstalledShardResources.class.getName())
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
                    device + ": expected a device of this shard process, such as cpu:0");
        }
        if (!permitted.devices().isEmpty() && !permitted.devices().contains(reference)) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    device + ": not among the devices of this shard, " + permitted.devices());
        }
        return backends.openDevice(reference, options);
    }

    @Override
    public GgufFile model(String name) {
        return ZeroTensors.requireWeights(find(name), InstalledShardResources::warn);
    }

    @Override
    public GgufFile lora(String name) {
        return GgufFile.open(find(name));
    }

    @Override
    public List<GgufFile> loras(String name) {
        List<Path> found = new ArrayList<>(search(name).stream().toList());
        found.addAll(new AdapterFolders(permitted.adapterFolders()).named(name));
        if (found.isEmpty()) {
            throw missing(name);
        }
        return found.stream().map(GgufFile::open).toList();
    }

    private Path find(String name) {
        return search(name).orElseThrow(() -> missing(name));
    }

    private Optional<Path> search(String name) {
        return Stream.concat(
                        permitted.models().stream()
                                .filter(file -> file.getFileName().toString().equals(name)),
                        permitted.folders().stream()
                                .map(folder -> folder.resolve(name))
                                .filter(Files::isRegularFile))
                .findFirst();
    }

    private VarveException missing(String name) {
        List<Path> adapters = permitted.adapterFolders();
        return new VarveException(
                VarveException.Kind.UNREADABLE_FILE,
                name
                        + ": this shard has no such model; it searches "
                        + Setting.MODEL
                        + " "
                        + permitted.models()
                        + " and "
                        + Setting.MODELS
                        + " "
                        + permitted.folders()
                        + (adapters.isEmpty() ? "" : " and " + Setting.LORA_DIR + " " + adapters));
    }

    private static void warn(String message) {
        System.getLogger(InstalledShardResources.class.getName())
                .log(System.Logger.Level.WARNING, message);
    }

    @Override
    public ImageEncoder imageEncoder(GgufFile file) {
        return ProjectorFile.of(file, catalog).encoder();
    }

    @Override
    public TensorDigests digests() {
        return digests;
    }

    @Override
    public LayerSplitAdapter adapter(GgufFile file, ModelOptions options) {
        return catalog.family(file.architecture(), file.path()).open(file, options);
    }
}

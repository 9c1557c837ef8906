package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.LocalBackends;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.runtime.MemoryClaims;
import dev.varve.platform.setting.Setting;

import java.util.Map;
import java.util.Optional;

/** The device that computes a model for embeddings alone, and the memory that is claimed on it. */
final class EmbeddingDevice implements AutoCloseable {
    private final HostSettings settings;
    private final LocalBackends backends;
    private final DeviceReference reference;
    private final ComputeDevice device;
    private Optional<MemoryClaims.Claim> claim = Optional.empty();

    private EmbeddingDevice(
            HostSettings settings,
            LocalBackends backends,
            DeviceReference reference,
            ComputeDevice device) {
        this.settings = settings;
        this.backends = backends;
        this.reference = reference;
        this.device = device;
    }

    /**
     * Opens the first device of the settings.
     *
     * @throws VarveException of kind INVALID_REQUEST if another process has it, UNAVAILABLE if it
     *     does not exist
     */
    static EmbeddingDevice open(HostSettings settings, PluginCatalog catalog) {
        PlacementRequest asked = settings.devices().placement();
        LocalBackends backends =
                new LocalBackends(
                        catalog.backends(), settings.plugins().backendOptions(asked.peerAccess()));
        DeviceReference reference = asked.resolve(backends::best).devices().getFirst();
        if (!reference.isLocal()) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    Setting.DEVICE
                            + ": "
                            + reference
                            + ": embeddings are computed on devices of this process only");
        }
        // The ledger counts claims from the memory that is free before the weights are loaded.
        settings.devices().claims().ifPresent(all -> all.left(reference, backends.info(reference)));
        ComputeDevice device =
                backends.openDevice(reference, settings.devices().options(CpuSharingMode.ALONE));
        return new EmbeddingDevice(settings, backends, reference, device);
    }

    DeviceReference reference() {
        return reference;
    }

    ComputeDevice device() {
        return device;
    }

    /** Claims memory until this is closed, so that models that are planned later do not use it. */
    void claim(long bytes) {
        claim =
                settings.devices()
                        .claims()
                        .map(all -> all.claim(Map.of(reference, bytes), backends::info));
    }

    @Override
    public void close() {
        claim.ifPresent(MemoryClaims.Claim::close);
        device.close();
    }
}

package dev.varve.platform.host;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.platform.content.TensorDigests;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.ProcessLocation;
import dev.varve.platform.remote.ShardLink;
import dev.varve.platform.remote.ShardLoadRequest;

import java.util.Optional;
import java.util.function.Function;

/**
 * Devices of a draft model or a prefill drafter: usually in this process, with the model's last
 * layers.
 */
final class DraftDevices {
    private final PlacementRequest target;
    private final Function<DeviceReference, ComputeDevice> local;
    private final Function<DeviceReference, ShardLoadRequest.Device> remote;
    private final ShardLinkFactory links;
    private final TensorDigests digests;

    /**
     * @param target the model's devices
     * @param local opens a device of this process and owns it
     * @param remote describes a device for another process
     * @param links links to a draft model's process
     * @param digests of the files' tensors; those of that process must match
     */
    DraftDevices(
            PlacementRequest target,
            Function<DeviceReference, ComputeDevice> local,
            Function<DeviceReference, ShardLoadRequest.Device> remote,
            ShardLinkFactory links,
            TensorDigests digests) {
        this.target = target;
        this.local = local;
        this.remote = remote;
        this.links = links;
        this.digests = digests;
    }

    /** Returns the configured device, or the default. */
    static DeviceReference choose(
            Optional<String> asked, DraftProcessSettings process, PlacementRequest target) {
        DeviceReference usual =
                target.devices().reversed().stream()
                        .filter(DeviceReference::isLocal)
                        .findFirst()
                        .orElse(DeviceReference.PROCESSOR);
        DeviceReference named = asked.map(DeviceReference::parse).orElse(usual);
        DeviceReference device = named.isAutomatic() ? usual.at(named.site()) : named;
        // Naming the program of a process requests a process.
        return device.isLocal() && process.launcher().isPresent()
                ? device.at(new ProcessLocation.Child())
                : device;
    }

    DeviceReference choose(Optional<String> asked, DraftProcessSettings process) {
        return choose(asked, process, target);
    }

    DeviceReference choose(DraftSettings draft) {
        return choose(draft.device(), draft.process());
    }

    /** Opens a device of this process. */
    ComputeDevice open(DeviceReference device) {
        return local.apply(device);
    }

    /** Returns a link to the process of a device that is not in this process. */
    ShardLink link(DeviceReference device) {
        return links.to(device);
    }

    /** Returns the digests that the files of that process must match. */
    TensorDigests digests() {
        return digests;
    }

    /** Returns the description of a device for its process. */
    ShardLoadRequest.Device remote(DeviceReference device) {
        return remote.apply(device);
    }
}

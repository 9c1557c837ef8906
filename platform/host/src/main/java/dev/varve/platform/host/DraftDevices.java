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
 * Where a draft model computes, or one that reads prompts: usually in this process, beside the
 * model's last layers.
 */
final class DraftDevices {
    private final PlacementRequest target;
    private final Function<DeviceReference, ComputeDevice> local;
    private final Function<DeviceReference, ShardLoadRequest.Device> remote;
    private final ShardLinkFactory links;
    private final TensorDigests digests;

    /**
     * @param target the model's devices
     * @param local opens a device of this process and keeps it
     * @param remote what another process is told of a device
     * @param links ways to a draft model's process
     * @param digests of the files' tensors, with which that process must agree
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

    /** Chooses what was asked for, or what is usual. */
    static DeviceReference choose(
            Optional<String> asked, DraftProcessSettings process, PlacementRequest target) {
        DeviceReference usual =
                target.devices().reversed().stream()
                        .filter(DeviceReference::isLocal)
                        .findFirst()
                        .orElse(DeviceReference.PROCESSOR);
        DeviceReference named = asked.map(DeviceReference::parse).orElse(usual);
        DeviceReference device = named.isAutomatic() ? usual.at(named.site()) : named;
        // Who names the program of a process wants one.
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

    /** A device of this process. */
    ComputeDevice open(DeviceReference device) {
        return local.apply(device);
    }

    /** A way to the process of one that is not in this process. */
    ShardLink link(DeviceReference device) {
        return links.to(device);
    }

    /** With what the files of that process must agree. */
    TensorDigests digests() {
        return digests;
    }

    /** What that process is told of it. */
    ShardLoadRequest.Device remote(DeviceReference device) {
        return remote.apply(device);
    }
}

package dev.varve.platform.host;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.platform.content.TensorDigests;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.remote.ShardLoadRequest;

import java.util.function.Function;

/**
 * Devices of a draft model or a prefill drafter: usually in this process, with the model's last
 * layers.
 *
 * @param target the model's devices
 * @param local opens a device of this process and owns it
 * @param remote describes a device for another process
 * @param links links to a draft model's process
 * @param digests of the files' tensors; those of that process must match
 */
record DraftDevices(
        PlacementRequest target,
        Function<DeviceReference, ComputeDevice> local,
        Function<DeviceReference, ShardLoadRequest.Device> remote,
        ShardLinkFactory links,
        TensorDigests digests) {
    DeviceReference choose(DraftPlacement placement) {
        return placement.chooseDevice(target);
    }
}

package dev.varve.platform.host;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.setting.Setting;

import java.util.Optional;
import java.util.function.Function;

/** Where a draft model computes: in this process, usually beside the model's last layers. */
final class DraftDevices {
    private final PlacementRequest target;
    private final Function<DeviceReference, ComputeDevice> opener;

    /**
     * @param target the model's devices
     * @param opener opens a device of this process, and keeps it
     */
    DraftDevices(PlacementRequest target, Function<DeviceReference, ComputeDevice> opener) {
        this.target = target;
        this.opener = opener;
    }

    /**
     * Chooses.
     *
     * @param asked what a person asked for
     * @throws IllegalArgumentException that begins with a setting if it is in another process
     */
    DeviceReference choose(Optional<String> asked) {
        Optional<DeviceReference> given =
                asked.map(DeviceReference::parse).filter(device -> !device.isAutomatic());
        if (given.isPresent() && !given.get().isLocal()) {
            throw new IllegalArgumentException(
                    Setting.DRAFT_DEVICE
                            + ": expected a device of this process such as "
                            + DeviceReference.PROCESSOR
                            + ", found "
                            + given.get());
        }
        return given.orElseGet(
                () ->
                        target.devices().reversed().stream()
                                .filter(DeviceReference::isLocal)
                                .findFirst()
                                .orElse(DeviceReference.PROCESSOR));
    }

    ComputeDevice open(DeviceReference device) {
        return opener.apply(device);
    }
}

package dev.varve.platform.placement;

import dev.varve.platform.setting.Setting;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * The devices that the operator requests for a model, in layer order.
 *
 * @param devices one or more; a device may occur twice
 * @param split how the layers are distributed; {@link SplitRule.Equal} for one device
 * @param grouping how devices are assigned to processes
 * @param peerAccess whether devices of one backend copy from each other directly
 * @param tensors weights within layers that another device holds
 */
public record PlacementRequest(
        List<DeviceReference> devices,
        SplitRule split,
        ProcessGrouping grouping,
        PeerAccess peerAccess,
        TensorRules tensors) {
    /** Checks that there is a device. */
    public PlacementRequest {
        devices = List.copyOf(devices);
        Objects.requireNonNull(split);
        Objects.requireNonNull(grouping);
        Objects.requireNonNull(peerAccess);
        Objects.requireNonNull(tensors);
        if (devices.isEmpty()) {
            throw new IllegalArgumentException("a placement needs a device");
        }
    }

    /** Creates a request for one device. */
    public static PlacementRequest single(DeviceReference device) {
        return of(List.of(device), new SplitRule.Equal());
    }

    /**
     * Creates a request for devices in the processes that they name, which copy through the host.
     */
    public static PlacementRequest of(List<DeviceReference> devices, SplitRule split) {
        return new PlacementRequest(
                devices,
                split,
                ProcessGrouping.AS_NAMED,
                PeerAccess.THROUGH_HOST,
                TensorRules.NONE);
    }

    /** Returns the same request with rules for weights within layers. */
    public PlacementRequest with(TensorRules rules) {
        return new PlacementRequest(devices, split, grouping, peerAccess, rules);
    }

    /** Returns the same request with other devices and another split. */
    public PlacementRequest on(List<DeviceReference> others, SplitRule rule) {
        return new PlacementRequest(others, rule, grouping, peerAccess, tensors);
    }

    /** Whether the layers are split among several devices. */
    public boolean isSplit() {
        return devices.size() > 1;
    }

    /** The first device; {@code auto} in other flags refers to it. */
    public DeviceReference primary() {
        return devices.getFirst();
    }

    /**
     * Replaces {@code auto} by the best backend, and decides which devices get their own process. A
     * resolved request stays as it is.
     *
     * @param best supplies the name of the best backend of this process; called only if needed
     * @throws IllegalArgumentException that begins with the name of the wrong setting
     */
    public PlacementRequest resolve(Supplier<String> best) {
        boolean asked = devices.stream().anyMatch(DeviceReference::isAutomatic);
        String backend = asked ? best.get() : "";
        List<DeviceReference> resolved = new ArrayList<>();
        Map<DeviceReference, DeviceReference> written = new HashMap<>();
        for (DeviceReference device : devices) {
            DeviceReference known =
                    device.isAutomatic()
                            ? new DeviceReference(backend, device.index(), device.site())
                            : device;
            DeviceReference other = written.putIfAbsent(known, device);
            if (other != null && !other.equals(device)) {
                throw new IllegalArgumentException(
                        Setting.DEVICES
                                + ": bad target layer split: "
                                + other
                                + " and "
                                + device
                                + " are the same device; write "
                                + known
                                + " twice if that is meant");
            }
            resolved.add(known);
        }
        List<DeviceReference> grouped =
                grouping == ProcessGrouping.BY_BACKEND && isGrouped(resolved)
                        ? group(resolved)
                        : resolved;
        PlacementRequest request =
                new PlacementRequest(grouped, split, grouping, peerAccess, tensors);
        request.requirePeers();
        return request;
    }

    /** Whether {@link ProcessGrouping#BY_BACKEND} applies: several devices, none with a process. */
    public static boolean isGrouped(List<DeviceReference> devices) {
        return devices.size() > 1 && devices.stream().allMatch(DeviceReference::isLocal);
    }

    private static List<DeviceReference> group(List<DeviceReference> devices) {
        String first = devices.getFirst().backend();
        boolean oneBackend = devices.stream().allMatch(item -> item.backend().equals(first));
        List<DeviceReference> grouped = new ArrayList<>();
        for (DeviceReference device : devices) {
            boolean stays = oneBackend ? grouped.isEmpty() : device.backend().equals(first);
            grouped.add(stays ? device : device.at(new ProcessLocation.Child()));
        }
        return grouped;
    }

    /**
     * Rejects peer access that has no effect: the operator would notice the missing direct copies
     * only by the speed.
     */
    private void requirePeers() {
        if (peerAccess == PeerAccess.THROUGH_HOST) {
            return;
        }
        boolean found =
                devices.stream()
                        .anyMatch(
                                one ->
                                        devices.stream()
                                                .anyMatch(
                                                        other ->
                                                                one.backend()
                                                                                .equals(
                                                                                        other
                                                                                                .backend())
                                                                        && one.site()
                                                                                .equals(
                                                                                        other
                                                                                                .site())
                                                                        && one.index()
                                                                                != other.index()));
        if (!found) {
            throw new IllegalArgumentException(
                    Setting.PEER_ACCESS
                            + ": has no effect: no two devices of one backend in one process"
                            + " among "
                            + devices);
        }
    }
}

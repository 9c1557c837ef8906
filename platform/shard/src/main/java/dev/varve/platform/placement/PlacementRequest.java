package dev.varve.platform.placement;

import dev.varve.platform.setting.Setting;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * The devices that a person wants a model on, in layer order.
 *
 * @param devices one or more; a device may be there twice
 * @param split how the layers are shared out; {@link SplitRule.Equal} for one device
 * @param grouping who decides on processes
 * @param peerAccess whether devices of one backend copy from each other directly
 */
public record PlacementRequest(
        List<DeviceReference> devices,
        SplitRule split,
        ProcessGrouping grouping,
        PeerAccess peerAccess) {
    /** Checks that there is a device. */
    public PlacementRequest {
        devices = List.copyOf(devices);
        Objects.requireNonNull(split);
        Objects.requireNonNull(grouping);
        Objects.requireNonNull(peerAccess);
        if (devices.isEmpty()) {
            throw new IllegalArgumentException("a placement needs a device");
        }
    }

    /** Everything on one device. */
    public static PlacementRequest single(DeviceReference device) {
        return of(List.of(device), new SplitRule.Equal());
    }

    /** Devices in the processes that they name, which copy through the host. */
    public static PlacementRequest of(List<DeviceReference> devices, SplitRule split) {
        return new PlacementRequest(
                devices, split, ProcessGrouping.AS_NAMED, PeerAccess.THROUGH_HOST);
    }

    /** Whether the layers are spread over several devices. */
    public boolean isSplit() {
        return devices.size() > 1;
    }

    /** The first device, of which {@code auto} in other flags takes its meaning. */
    public DeviceReference primary() {
        return devices.getFirst();
    }

    /**
     * Puts the best backend for {@code auto}, and decides which devices go to a process of their
     * own. A request that was resolved stays as it is.
     *
     * @param best name of the best backend of this process; asked only where it is needed
     * @throws IllegalArgumentException that begins with the setting that is wrong
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
        PlacementRequest request = new PlacementRequest(grouped, split, grouping, peerAccess);
        request.requirePeers();
        return request;
    }

    /** Whether {@link ProcessGrouping#BY_BACKEND} has anything to decide: nobody wrote a site. */
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
     * Refuses peer access that cannot happen: who asks for direct copies and gets none would notice
     * it by the speed at best.
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

package dev.varve.platform.cli;

import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.PeerAccess;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.ProcessGrouping;
import dev.varve.platform.placement.ProcessLocation;
import dev.varve.platform.placement.SplitRule;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Flags of devices, not parsed yet. Their order does not matter: they are parsed together.
 *
 * @param peerAccess {@code --peer-access}
 */
record PlacementFlags(Target target, PeerAccess peerAccess, Processes processes) {
    /**
     * Devices of the target.
     *
     * @param device {@code --target-device}
     * @param devices {@code --target-devices}
     * @param split {@code --target-layer-split}
     */
    record Target(Optional<String> device, Optional<String> devices, Optional<String> split) {}

    /**
     * Processes of the target's devices.
     *
     * @param launcher {@code --target-shard-ipc-bin}
     * @param workFolder {@code --target-shard-ipc-work-dir}
     */
    record Processes(Optional<Path> launcher, Optional<Path> workFolder) {}

    /** Device of a model without placement flags. */
    static final String DEFAULT_DEVICE = DeviceReference.AUTO + ":0";

    private static final String DEVICE = "--target-device";
    private static final String DEVICES = "--target-devices";
    private static final String SPLIT = "--target-layer-split";
    private static final String LAUNCHER = "--target-shard-ipc-bin";
    private static final String WORK_FOLDER = "--target-shard-ipc-work-dir";

    /** Returns the state without any flag. */
    static PlacementFlags none() {
        return new PlacementFlags(
                new Target(Optional.empty(), Optional.empty(), Optional.empty()),
                PeerAccess.THROUGH_HOST,
                new Processes(Optional.empty(), Optional.empty()));
    }

    /**
     * Parses the flags and checks everything that does not depend on the backends.
     *
     * @throws IllegalArgumentException whose message begins with the wrong flag
     */
    PlacementRequest read() {
        if (target.device().isPresent() && target.devices().isPresent()) {
            throw new IllegalArgumentException(
                    DEVICES + ": cannot be given together with " + DEVICE);
        }
        List<DeviceReference> named =
                target.devices()
                        .map(text -> flag(DEVICES, () -> DeviceReference.parseList(text)))
                        .orElseGet(
                                () ->
                                        List.of(
                                                flag(
                                                        DEVICE,
                                                        () ->
                                                                DeviceReference.parse(
                                                                        target.device()
                                                                                .orElse(
                                                                                        DEFAULT_DEVICE)))));
        SplitRule rule =
                target.split()
                        .map(text -> flag(SPLIT, () -> SplitRule.parse(text)))
                        .orElse(new SplitRule.Equal());
        requireSplit(rule, named.size());
        requireLauncher(named);
        PlacementRequest request = new PlacementRequest(named, rule, grouping(), peerAccess);
        // Without automatic devices the rest can be checked now, before files are opened.
        return named.stream().anyMatch(DeviceReference::isAutomatic)
                ? request
                : request.resolve(() -> DeviceReference.AUTO);
    }

    private ProcessGrouping grouping() {
        return processes.launcher().isPresent()
                ? ProcessGrouping.BY_BACKEND
                : ProcessGrouping.AS_NAMED;
    }

    private interface Reading<T> {
        T read();
    }

    private static <T> T flag(String name, Reading<T> reading) {
        try {
            return reading.read();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(name + ": " + e.getMessage(), e);
        }
    }

    private void requireSplit(SplitRule rule, int count) {
        if (target.split().isPresent() && count < 2) {
            throw new IllegalArgumentException(
                    SPLIT + ": needs two or more devices in " + DEVICES + ", found " + count);
        }
        if (rule instanceof SplitRule.Weights(var values) && values.size() != count) {
            throw new IllegalArgumentException(
                    SPLIT
                            + ": bad target layer split: expected "
                            + count
                            + " weights, one per device, found "
                            + values.size());
        }
    }

    private void requireLauncher(List<DeviceReference> named) {
        boolean startsProcess =
                named.stream().anyMatch(item -> item.site() instanceof ProcessLocation.Child);
        boolean grouped = processes.launcher().isPresent() && PlacementRequest.isGrouped(named);
        if (processes.launcher().isPresent() && !startsProcess && !grouped) {
            throw new IllegalArgumentException(
                    LAUNCHER
                            + ": no device needs a process of its own; list two or more devices in "
                            + DEVICES
                            + ", or mark one as @process");
        }
        if (processes.workFolder().isPresent() && !startsProcess && !grouped) {
            throw new IllegalArgumentException(
                    WORK_FOLDER + ": needs " + LAUNCHER + " or a device marked as @process");
        }
        processes.launcher().ifPresent(path -> requireNamed(LAUNCHER, path));
        processes.workFolder().ifPresent(path -> requireNamed(WORK_FOLDER, path));
    }

    private static void requireNamed(String flag, Path path) {
        if (path.toString().isEmpty()) {
            throw new IllegalArgumentException(flag + ": expected a path, found nothing");
        }
    }
}

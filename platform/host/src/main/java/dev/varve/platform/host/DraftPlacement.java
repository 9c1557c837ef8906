package dev.varve.platform.host;

import dev.varve.platform.draft.DflashSpeculator;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.ProcessLocation;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Placement of a draft model or a prefill drafter: device, memory and process.
 *
 * @param device its device; empty: that of the model's last layer in this process
 * @param residency whether it stays in memory
 * @param launcher program of its own process; empty: this installation's, if the device requests a
 *     process
 * @param workFolder folder of that process's socket; empty: as for shards
 * @param context most positions that a draft model keeps of a sequence; empty: the default
 */
public record DraftPlacement(
        Optional<String> device,
        Residency residency,
        Optional<Path> launcher,
        Optional<Path> workFolder,
        OptionalInt context) {
    /** Largest allowed number of positions. */
    public static final int LARGEST_CONTEXT = DflashSpeculator.LARGEST_CONTEXT;

    /** Defaults. */
    public static final DraftPlacement USUAL =
            new DraftPlacement(
                    Optional.empty(),
                    Residency.AUTO,
                    Optional.empty(),
                    Optional.empty(),
                    OptionalInt.empty());

    /** Whether the memory of the model is freed between requests. */
    public enum Residency {
        /** Stays loaded if memory suffices. */
        AUTO,
        /** Stays loaded. */
        PERSISTENT,
        /** Is loaded while requests run, or while a prompt is read. */
        REQUEST_SCOPED
    }

    /** Checks that nothing is missing. */
    public DraftPlacement {
        Objects.requireNonNull(device);
        Objects.requireNonNull(residency);
        Objects.requireNonNull(launcher);
        Objects.requireNonNull(workFolder);
        Objects.requireNonNull(context);
    }

    /** Returns a copy with another residency. */
    public DraftPlacement with(Residency other) {
        return new DraftPlacement(device, other, launcher, workFolder, context);
    }

    /**
     * Returns the configured device, or the default.
     *
     * @param target devices of the model that it serves
     */
    DeviceReference chooseDevice(PlacementRequest target) {
        DeviceReference usual =
                target.devices().reversed().stream()
                        .filter(DeviceReference::isLocal)
                        .findFirst()
                        .orElse(DeviceReference.PROCESSOR);
        DeviceReference named = device.map(DeviceReference::parse).orElse(usual);
        DeviceReference chosen = named.isAutomatic() ? usual.at(named.site()) : named;
        // Naming the program of a process requests a process.
        return chosen.isLocal() && launcher.isPresent()
                ? chosen.at(new ProcessLocation.Child())
                : chosen;
    }

    /** Returns the settings of its process, based on those of the shards. */
    ShardProcessSettings within(ShardProcessSettings others) {
        ShardProcessSettings started = launcher.map(others::startedBy).orElse(others);
        return workFolder.map(started::withWorkFolder).orElse(started);
    }
}

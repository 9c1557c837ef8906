package dev.varve.platform.host;

import dev.varve.platform.draft.DflashSpeculator;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Settings of a draft model's own process.
 *
 * @param launcher program that serves it; empty: this installation's, if the draft's device
 *     requests a process
 * @param workFolder folder of its socket; empty: as for shards
 * @param context most positions that the draft keeps of a sequence; empty: the default
 */
public record DraftProcessSettings(
        Optional<Path> launcher, Optional<Path> workFolder, OptionalInt context) {
    /** Largest allowed number of positions. */
    public static final int LARGEST_CONTEXT = DflashSpeculator.LARGEST_CONTEXT;

    /** Defaults. */
    public static final DraftProcessSettings USUAL =
            new DraftProcessSettings(Optional.empty(), Optional.empty(), OptionalInt.empty());

    /** Checks that nothing is missing. */
    public DraftProcessSettings {
        Objects.requireNonNull(launcher);
        Objects.requireNonNull(workFolder);
        Objects.requireNonNull(context);
    }

    /** Returns its process settings, based on those of the shards. */
    ProcessSettings within(ProcessSettings others) {
        ProcessSettings started = launcher.map(others::startedBy).orElse(others);
        return workFolder.map(started::withWorkFolder).orElse(started);
    }
}

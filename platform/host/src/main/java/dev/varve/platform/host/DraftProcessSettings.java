package dev.varve.platform.host;

import dev.varve.platform.draft.DflashSpeculator;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A process of a draft model's own.
 *
 * @param launcher program that serves it; empty: this installation's, where the draft's device asks
 *     for a process
 * @param workFolder where its socket is made; empty: as for shards
 * @param context most positions that the draft keeps of a sequence; empty: as many as is usual
 */
public record DraftProcessSettings(
        Optional<Path> launcher, Optional<Path> workFolder, OptionalInt context) {
    /** Most positions that can be asked for. */
    public static final int LARGEST_CONTEXT = DflashSpeculator.LARGEST_CONTEXT;

    /** As usual. */
    public static final DraftProcessSettings USUAL =
            new DraftProcessSettings(Optional.empty(), Optional.empty(), OptionalInt.empty());

    /** Checks that nothing is missing. */
    public DraftProcessSettings {
        Objects.requireNonNull(launcher);
        Objects.requireNonNull(workFolder);
        Objects.requireNonNull(context);
    }

    /** How it is started, where others are so. */
    ProcessSettings within(ProcessSettings others) {
        ProcessSettings started = launcher.map(others::startedBy).orElse(others);
        return workFolder.map(started::withWorkFolder).orElse(started);
    }
}

package dev.varve.platform.plan;

import dev.varve.platform.placement.Placement;
import dev.varve.platform.runtime.ModelSettings;

import java.util.List;

/**
 * A candidate that fits.
 *
 * @param sized settings with its layout of the weights
 * @param notes lines for the operator
 */
record FittingPlacement(
        PlacementCandidate candidate,
        ModelSettings sized,
        Placement placement,
        List<String> notes) {
    /** Copies the lines. */
    FittingPlacement {
        notes = List.copyOf(notes);
    }

    /** Returns a copy with one line. */
    FittingPlacement because(String note) {
        return new FittingPlacement(candidate, sized, placement, List.of(note));
    }
}

package dev.varve.platform.plan;

import dev.varve.api.model.LayerRange;

import java.util.List;

/**
 * Speed at which a device computes the blocks of a model.
 *
 * @param perShard part of a step's time that does not depend on the layers: starting the graph,
 *     moving activations
 * @param kinds time per kind of {@link ModelBlocks}
 */
public record DeviceSpeed(StepTime perShard, List<StepTime> kinds) {
    /** Copies the kinds. */
    public DeviceSpeed {
        kinds = List.copyOf(kinds);
    }

    /** Returns the time of a range on this device. */
    public StepTime of(ModelBlocks model, LayerRange range) {
        return new StepTime(
                perShard.decodeMillis() + model.sum(range, kind -> kinds.get(kind).decodeMillis()),
                perShard.prefillMillis()
                        + model.sum(range, kind -> kinds.get(kind).prefillMillis()));
    }
}

package dev.varve.platform.plan;

import dev.varve.api.model.LayerRange;

import java.util.List;

/**
 * How fast a device computes the blocks of a model.
 *
 * @param perShard time of a step that does not depend on the layers: starting the graph, moving
 *     activations
 * @param kinds per kind of {@link ModelBlocks}
 */
public record DeviceSpeed(StepTime perShard, List<StepTime> kinds) {
    /** Takes a copy of the kinds. */
    public DeviceSpeed {
        kinds = List.copyOf(kinds);
    }

    /** Time of a range on this device. */
    public StepTime of(ModelBlocks model, LayerRange range) {
        return new StepTime(
                perShard.decodeMillis() + model.sum(range, kind -> kinds.get(kind).decodeMillis()),
                perShard.prefillMillis()
                        + model.sum(range, kind -> kinds.get(kind).prefillMillis()));
    }
}

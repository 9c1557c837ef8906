package dev.varve.platform.shard.local;

import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.shard.PluginProxyHandler;
import dev.varve.platform.shard.lora.AdaptedModel;

/**
 * Plugin, architecture and layer range of a recorded graph, for messages.
 *
 * @param plugin module of the family, or its class if it is in no module
 * @param architecture {@code general.architecture} of the file
 * @param range layers that are recorded
 */
record GraphErrorContext(String plugin, String architecture, LayerRange range) {
    static GraphErrorContext of(LayerSplitAdapter model, LayerRange range) {
        return new GraphErrorContext(
                PluginProxyHandler.moduleOf(AdaptedModel.base(model)),
                model.shape().architecture(),
                range);
    }

    /** Creates the exception for a rule that the family broke. */
    GraphBuildException fault(String what) {
        return new GraphBuildException(this + ": " + what);
    }

    /**
     * Creates the exception for a failure that the family threw.
     *
     * @param last operator that it had recorded before; empty at the beginning
     */
    GraphBuildException thrown(Throwable failure, String last) {
        return new GraphBuildException(
                this
                        + ": build failed"
                        + (last.isEmpty() ? "" : " after " + last)
                        + ": "
                        + describe(failure),
                failure);
    }

    /** The platform throws these two types with a message that is sufficient without the type. */
    private static String describe(Throwable failure) {
        boolean speaks =
                failure instanceof IllegalArgumentException
                        || failure instanceof IllegalStateException;
        return speaks && failure.getMessage() != null ? failure.getMessage() : failure.toString();
    }

    @Override
    public String toString() {
        return "plugin " + plugin + ": " + architecture + ", layers " + range;
    }
}

package dev.varve.platform.shard.local;

import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.shard.PluginGuard;

/**
 * Who records a graph of what, for messages.
 *
 * @param plugin module of the family, or its class where it is in none
 * @param architecture {@code general.architecture} of the file
 * @param range layers that are recorded
 */
record GraphBuildContext(String plugin, String architecture, LayerRange range) {
    static GraphBuildContext of(LayerSplitAdapter model, LayerRange range) {
        return new GraphBuildContext(
                PluginGuard.moduleOf(model), model.shape().architecture(), range);
    }

    /** A rule that the family broke. */
    GraphBuildException fault(String what) {
        return new GraphBuildException(this + ": " + what);
    }

    /**
     * Something that the family threw.
     *
     * @param last operator that it had recorded before; empty at the beginning
     */
    GraphBuildException thrown(Throwable failure, String last) {
        return new GraphBuildException(
                this
                        + ": build failed"
                        + (last.isEmpty() ? "" : " behind " + last)
                        + ": "
                        + describe(failure),
                failure);
    }

    /** Those two are the platform's own words, which say what is wrong. */
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

package dev.varve.platform.host;

import dev.varve.api.gguf.GgufFile;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.List;
import java.util.function.Predicate;

/**
 * Receives events while a model is opened. The opening thread calls it, except {@link #loaded},
 * which any thread calls, one call at a time. An exception aborts the opening.
 */
@SuppressWarnings("exports") // see package-info
public interface ModelLoadListener extends LoadProgressListener {
    /** Returns a listener that ignores all events. */
    static ModelLoadListener silent() {
        return new ModelLoadListener() {};
    }

    /** Reports a warning that the operator should read before the model is used. */
    default void warning(String text) {}

    /** Reports a note for the operator. */
    default void note(String text) {}

    /**
     * Reports the resolved devices.
     *
     * @param request without {@code auto}
     * @param provided whether a plugin provides a backend
     */
    default void resolved(PlacementRequest request, Predicate<String> provided) {}

    /** Reports that the file and its tokenizer were read; the devices' memory is not known yet. */
    default void opened(GgufFile file, Tokenizer tokenizer) {}

    /**
     * Reports the plan, before loading begins.
     *
     * @param reasons reasons for the split, in sentences; empty if no choice was made
     */
    default void planned(SplitMemoryPlan plan, List<String> reasons) {}

    @Override
    default void loaded(long done, long total) {}
}

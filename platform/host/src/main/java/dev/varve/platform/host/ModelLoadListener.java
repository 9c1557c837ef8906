package dev.varve.platform.host;

import dev.varve.api.gguf.GgufFile;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.platform.shard.LoadProgress;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.List;
import java.util.function.Predicate;

/**
 * Hears what becomes of a model while it is opened. Called by the thread that opens, but {@link
 * #loaded}, which comes from any thread, one call at a time. An exception ends the opening.
 */
@SuppressWarnings("exports") // see package-info
public interface ModelLoadListener extends LoadProgress {
    /** Listens to nothing. */
    static ModelLoadListener silent() {
        return new ModelLoadListener() {};
    }

    /** Something that a person should know before the model is used. */
    default void warning(String text) {}

    /** Something that a person may want to know. */
    default void note(String text) {}

    /**
     * It is clear which devices are meant.
     *
     * @param request without {@code auto}
     * @param provided whether a plugin provides a backend
     */
    default void resolved(PlacementRequest request, Predicate<String> provided) {}

    /** The file and its tokenizer were read; nothing is known of the devices' memory yet. */
    default void opened(GgufFile file, Tokenizer tokenizer) {}

    /**
     * The plan stands, and loading begins.
     *
     * @param reasons why the layers were split so, in sentences; empty where nothing was chosen
     */
    default void planned(SplitMemoryPlan plan, List<String> reasons) {}

    @Override
    default void loaded(long done, long total) {}
}

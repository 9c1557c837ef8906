package dev.varve.platform.cli;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.TeacherForcing.LogitsSink;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.runtime.MemoryPlan;
import dev.varve.platform.tokenizer.Tokenizer;

/**
 * A loaded model as the commands see it. Owned by the command: {@link #close} frees weights and
 * caches.
 */
interface ModelRuntime extends AutoCloseable {
    /** The model file. */
    GgufFile file();

    /** The model as its family sees it. */
    LayerSplitAdapter adapter();

    /** Tokenizer of the file. */
    Tokenizer tokenizer();

    /** The engine, started at the first call. */
    Engine engine();

    /** Which device computes which layers. */
    Placement placement();

    /** The sizes that were chosen. */
    MemoryPlan plan();

    /** Threads for decode, 0 where the device has no such setting. */
    int threads();

    /** Computes the logits of every given token. Not to be mixed with the engine. */
    void logits(int[] tokens, LogitsSink sink);

    /** Time that loading took. */
    double loadMillis();

    /** Logits of one token; at least the size of the tokenizer. */
    default int vocabularySize() {
        return adapter().shape().vocabularySize();
    }

    @Override
    void close();
}

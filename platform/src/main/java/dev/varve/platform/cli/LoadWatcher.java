package dev.varve.platform.cli;

import dev.varve.api.gguf.GgufFile;
import dev.varve.platform.runtime.SplitPlan;
import dev.varve.platform.shard.LoadProgress;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.List;

/** Hears what becomes of a model while it is loaded. */
interface LoadWatcher extends LoadProgress {
    /** The file and its tokenizer were read; nothing is known of devices yet. */
    void opened(GgufFile file, Tokenizer tokenizer);

    /**
     * The plan stands, and loading begins.
     *
     * @param reasons why the layers were split so, in sentences; empty where nothing was chosen
     */
    void planned(SplitPlan plan, List<String> reasons);
}

package dev.varve.platform.sequence;

import dev.varve.api.speculation.TokenHistory;
import dev.varve.platform.shard.PageScores;

import java.util.List;
import java.util.Optional;

/** Says which pages of a sequence matter for what comes next. */
public interface PageScorer {
    /**
     * Whether it goes by what the shards answer to a {@link dev.varve.platform.shard.PageQuery}.
     */
    boolean asksShards();

    /**
     * Scores pages.
     *
     * @param history tokens of the sequence
     * @param answers of the shards, in the order of layers, if they were asked
     * @param pages whole pages of the history
     * @return one number for each page, higher is better; empty if there is no telling this time
     */
    Optional<float[]> score(TokenHistory history, List<PageScores> answers, int pages);
}

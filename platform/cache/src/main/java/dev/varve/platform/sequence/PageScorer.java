package dev.varve.platform.sequence;

import dev.varve.api.speculation.TokenHistory;
import dev.varve.platform.shard.PageScores;

import java.util.List;
import java.util.Optional;

/** Scores the pages of a sequence by their relevance for the next tokens. */
public interface PageScorer {
    /**
     * Whether it uses the responses of the shards to a {@link dev.varve.platform.shard.PageQuery}.
     */
    boolean needsShardScores();

    /**
     * Scores pages.
     *
     * @param history tokens of the sequence
     * @param answers responses of the shards, in the order of layers, if they were queried
     * @param pages number of whole pages of the history
     * @return one number for each page, higher is better; empty if no scores are available this
     *     time
     */
    Optional<float[]> score(TokenHistory history, List<PageScores> answers, int pages);
}

package dev.varve.platform.sequence;

import dev.varve.api.speculation.TokenHistory;
import dev.varve.platform.paging.KeyPooling;
import dev.varve.platform.shard.PageScores;

import java.util.List;
import java.util.Optional;

/**
 * Scores pages by the model's own queries: the mean over the layers of full attention of the best
 * cosine between a query and what a page holds. A page of which some layer knows nothing scores
 * below all others. The sum goes from the first layer to the last, so that it is the same on any
 * split.
 */
public final class QueryScorer implements PageScorer {
    @Override
    public boolean asksShards() {
        return true;
    }

    @Override
    public Optional<float[]> score(TokenHistory history, List<PageScores> answers, int pages) {
        if (answers.isEmpty()) {
            return Optional.empty();
        }
        float[] sums = new float[pages];
        boolean[] unknown = new boolean[pages];
        for (PageScores answer : answers) {
            for (int page = 0; page < pages; page++) {
                float value = answer.values()[page];
                unknown[page] |= !Float.isFinite(value) || value <= KeyPooling.UNKNOWN;
                sums[page] += value;
            }
        }
        for (int page = 0; page < pages; page++) {
            sums[page] = unknown[page] ? KeyPooling.UNKNOWN : sums[page] / answers.size();
        }
        return Optional.of(sums);
    }
}

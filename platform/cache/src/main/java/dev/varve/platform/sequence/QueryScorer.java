package dev.varve.platform.sequence;

import dev.varve.api.speculation.TokenHistory;
import dev.varve.platform.shard.KeyBounds;
import dev.varve.platform.shard.PageScores;

import java.util.List;
import java.util.Optional;

/**
 * Scores pages by the model's own queries: the score of a page is its maximum over the layers of
 * full attention, so that it is the same on any split. A page without a score in some layer ranks
 * below all others.
 */
public final class QueryScorer implements PageScorer {
    @Override
    public boolean needsShardScores() {
        return true;
    }

    @Override
    public Optional<float[]> score(TokenHistory history, List<PageScores> answers, int pages) {
        if (answers.isEmpty()) {
            return Optional.empty();
        }
        float[] scores = new float[pages];
        for (int page = 0; page < pages; page++) {
            scores[page] = score(answers, page);
        }
        return Optional.of(scores);
    }

    private static float score(List<PageScores> answers, int page) {
        float most = KeyBounds.UNKNOWN;
        for (PageScores answer : answers) {
            float value = answer.values()[page];
            if (!Float.isFinite(value) || value <= KeyBounds.UNKNOWN) {
                return KeyBounds.UNKNOWN;
            }
            most = Math.max(most, value);
        }
        return most;
    }
}

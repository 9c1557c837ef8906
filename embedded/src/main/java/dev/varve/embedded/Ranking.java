package dev.varve.embedded;

import java.util.Comparator;
import java.util.List;

/**
 * Scores of documents for a query.
 *
 * @param documents all documents in the order of the call
 * @param tokens tokens of all pairs of query and document, with those around them
 * @since 0.1.0
 */
public record Ranking(List<ScoredDocument> documents, int tokens) {
    /** Copies the list. */
    public Ranking {
        documents = List.copyOf(documents);
    }

    /**
     * Returns the documents with the highest scores, best first; of equal ones the earlier first.
     *
     * @param count most documents
     */
    public List<ScoredDocument> best(int count) {
        return documents.stream()
                .sorted(Comparator.comparingDouble(ScoredDocument::score).reversed())
                .limit(count)
                .toList();
    }
}

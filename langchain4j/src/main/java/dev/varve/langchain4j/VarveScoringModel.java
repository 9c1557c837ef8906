package dev.varve.langchain4j;

import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.output.Response;
import dev.langchain4j.model.output.TokenUsage;
import dev.langchain4j.model.scoring.ScoringModel;
import dev.varve.api.VarveException;
import dev.varve.embedded.Ranking;
import dev.varve.embedded.Reranker;
import dev.varve.embedded.ScoredDocument;

import java.util.List;
import java.util.Objects;

/**
 * Scores of texts for a query, by a model inside this program: shares from 0 to 1, so that a least
 * score of an aggregator has a meaning.
 *
 * @since 0.1.0
 */
public final class VarveScoringModel implements ScoringModel {
    private final Reranker model;

    /**
     * @param model which the caller closes
     */
    public VarveScoringModel(Reranker model) {
        this.model = Objects.requireNonNull(model);
    }

    @Override
    public Response<List<Double>> scoreAll(List<TextSegment> segments, String query) {
        try {
            Ranking ranking = model.score(query, segments.stream().map(TextSegment::text).toList());
            return Response.from(
                    ranking.documents().stream().map(ScoredDocument::probability).toList(),
                    new TokenUsage(ranking.tokens()));
        } catch (VarveException e) {
            throw ResponseConverter.error(e);
        }
    }
}

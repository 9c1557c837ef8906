package dev.varve.embedded;

import dev.varve.api.VarveException;
import dev.varve.api.model.Pooling;
import dev.varve.platform.tokenizer.TokenLimit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A model inside this program that scores how well documents match a query.
 *
 * {@snippet :
 * try (Reranker model = Reranker.open(Path.of("bge-reranker-v2-m3-q8_0.gguf"))) {
 *     String best = model.score("What is a panda?", documents).best(1).getFirst().text();
 * }
 * }
 *
 * <p>Any number of threads may use a model; pairs of several threads are computed together. {@link
 * #close} frees weights and device. Close a model once, when no other thread uses it any more.
 *
 * @since 0.1.0
 */
public final class Reranker implements AutoCloseable {
    private final LoadedEncoder model;

    private Reranker(LoadedEncoder model) {
        this.model = model;
    }

    /**
     * Opens a model with the defaults of the server.
     *
     * @param file GGUF file, any part of a split one
     * @throws VarveException as for {@link #open(Path, EncoderOptions)}
     */
    public static Reranker open(Path file) {
        return open(file, EncoderOptions.DEFAULT);
    }

    /**
     * Opens a model with a classifier, or one that a prompt asks, such as Qwen3-Reranker.
     *
     * @param file GGUF file, any part of a split one
     * @throws VarveException if the file, its family or a device cannot be used, it does not fit
     *     the memory, or it computes no scores
     * @throws IllegalArgumentException if an option is out of its range, or one that only an {@link
     *     Embedder} has is set
     */
    public static Reranker open(Path file, EncoderOptions options) {
        if (options.pooling().isPresent() || options.dimension().isPresent()) {
            throw new IllegalArgumentException(
                    "pooling, dimension: expected none, since a reranker computes no vectors");
        }
        return new Reranker(LoadedEncoder.open(file, options, Optional.of(Pooling.RANK)));
    }

    /** Returns facts of the model. */
    public ModelInfo info() {
        return model.info();
    }

    /** Returns the most tokens of a query and a document, those around them included. */
    public int maxTokens() {
        return model.embedder().maxTokens();
    }

    /** Returns the number of tokens of a query and a document, those around them included. */
    public int countTokens(String query, String document) {
        return model.embedder().pairs().of(query, document, TokenLimit.NONE).length;
    }

    /**
     * Scores documents, and waits for the scores.
     *
     * @throws VarveException of kind CONTEXT_OVERFLOW if query and document are longer than {@link
     *     #maxTokens}, OVERLOADED if too many texts wait, CANCELLED if this thread is interrupted,
     *     of another kind if the device fails
     */
    public Ranking score(String query, List<String> documents) {
        List<int[]> pairs =
                documents.stream().map(document -> model.tokens(query, document)).toList();
        float[][] scores = model.encode(pairs);
        List<ScoredDocument> scored = new ArrayList<>();
        for (int i = 0; i < scores.length; i++) {
            float score = scores[i][0];
            scored.add(
                    new ScoredDocument(
                            i,
                            documents.get(i),
                            score,
                            model.embedder().pairs().probability(score)));
        }
        return new Ranking(scored, LoadedEncoder.total(pairs));
    }

    /** Ends waiting calls, and frees the model. */
    @Override
    public void close() {
        model.close();
    }
}

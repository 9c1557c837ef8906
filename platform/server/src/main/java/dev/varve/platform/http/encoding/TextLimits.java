package dev.varve.platform.http.encoding;

import dev.varve.api.VarveException;
import dev.varve.api.model.Pooling;
import dev.varve.platform.embedding.TextEmbedder;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.setting.Setting;

import java.util.function.Supplier;

/** Checks of texts, and of whether a model computes what a request wants. */
final class TextLimits {
    /** Most texts of a request. */
    static final int MOST_TEXTS = 2048;

    private TextLimits() {}

    /** Returns what computes vectors. */
    static TextEmbedder vectors(ServedModel served) {
        TextEmbedder embedder = embedder(served);
        if (embedder.pooling() == Pooling.RANK) {
            throw ApiException.invalid(
                    "model",
                    "model "
                            + served.description().id()
                            + " computes scores of documents and no embeddings; use /v1/rerank, or"
                            + " start the server with another "
                            + Setting.POOLING);
        }
        return embedder;
    }

    /** Returns what computes scores. */
    static TextEmbedder scores(ServedModel served) {
        TextEmbedder embedder = embedder(served);
        if (embedder.pooling() != Pooling.RANK) {
            throw ApiException.invalid(
                    "model",
                    "model "
                            + served.description().id()
                            + " computes embeddings and no scores of documents; use"
                            + " /v1/embeddings, or start the server with "
                            + Setting.RERANKING
                            + " if the model is a reranker");
        }
        return embedder;
    }

    private static TextEmbedder embedder(ServedModel served) {
        return served.encoding()
                .map(ServedModel.Encoding::embedder)
                .orElseThrow(
                        () ->
                                ApiException.invalid(
                                        "model",
                                        "model "
                                                + served.description().id()
                                                + " generates text; start the server with "
                                                + Setting.EMBEDDING
                                                + " so that it computes embeddings too"));
    }

    /** Checks the number of texts. */
    static void requireCount(String field, int count) {
        if (count < 1 || count > MOST_TEXTS) {
            throw ApiException.invalid(
                    field, field + ": expected 1 to " + MOST_TEXTS + " texts, found " + count);
        }
    }

    /**
     * Makes the tokens of a text; an error names its field.
     *
     * @param field for messages, with the index
     * @param tokens makes them, and checks that the text is not empty and fits
     */
    static int[] tokens(String field, Supplier<int[]> tokens) {
        try {
            return tokens.get();
        } catch (VarveException e) {
            throw ApiException.invalid(field, field + ": " + e.getMessage());
        }
    }
}

package dev.varve.platform.http.encoding;

import dev.varve.api.model.Pooling;
import dev.varve.platform.embedding.TextEmbedder;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.tokenizer.TokenLimit;
import dev.varve.platform.tokenizer.TooManyTokensException;

import java.util.function.Function;

/** Checks of texts, and of whether a model computes what a request wants. */
final class TextLimits {
    /** Most texts of a request. */
    static final int MOST_TEXTS = 2048;

    /** Texts are counted up to so many times the limit, so that the error says by how much. */
    private static final int COUNTED = 16;

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
     * Makes the tokens of a text, and checks that it is not empty and fits.
     *
     * @param field for messages, with the index
     */
    static int[] tokens(String field, TextEmbedder embedder, Function<TokenLimit, int[]> tokens) {
        int most = embedder.maxTokens();
        int counted = (int) Math.min((long) COUNTED * most, Integer.MAX_VALUE);
        int[] ids;
        try {
            ids = tokens.apply(TokenLimit.of(counted));
        } catch (TooManyTokensException e) {
            throw tooLong(field, "more than " + counted, most);
        }
        if (ids.length > most) {
            throw tooLong(field, Integer.toString(ids.length), most);
        }
        if (ids.length == 0) {
            throw ApiException.invalid(field, field + ": expected a text, found no token");
        }
        return ids;
    }

    private static ApiException tooLong(String field, String found, int most) {
        return ApiException.invalid(
                field,
                field
                        + ": expected a text of at most "
                        + most
                        + " tokens with those around it, found "
                        + found
                        + "; the model reads a text as a whole");
    }
}

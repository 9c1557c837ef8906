package dev.varve.platform.http.encoding;

import dev.varve.platform.embedding.TextEmbedder;

import tools.jackson.databind.JsonNode;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Texts to encode, and the response that is made of their results.
 *
 * @param texts token ids of each
 */
public record EncodingWork(
        TextEmbedder embedder, List<int[]> texts, Function<float[][], JsonNode> response) {
    /**
     * Encodes the texts and returns the response.
     *
     * @param disconnected whether the client has gone
     */
    public JsonNode answer(BooleanSupplier disconnected) throws InterruptedException {
        return response.apply(embedder.encode(texts, disconnected));
    }

    /** Returns the number of tokens of all texts. */
    static long tokens(List<int[]> texts) {
        return texts.stream().mapToLong(text -> text.length).sum();
    }
}

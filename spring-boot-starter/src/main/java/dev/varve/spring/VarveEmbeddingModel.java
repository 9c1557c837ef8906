package dev.varve.spring;

import dev.varve.embedded.Embedder;
import dev.varve.embedded.Embeddings;

import org.springframework.ai.chat.metadata.DefaultUsage;
import org.springframework.ai.document.Document;
import org.springframework.ai.embedding.Embedding;
import org.springframework.ai.embedding.EmbeddingModel;
import org.springframework.ai.embedding.EmbeddingOptions;
import org.springframework.ai.embedding.EmbeddingRequest;
import org.springframework.ai.embedding.EmbeddingResponse;
import org.springframework.ai.embedding.EmbeddingResponseMetadata;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Vectors of texts of a model inside this program. Requests may ask for shorter vectors.
 *
 * @since 0.1.0
 */
public final class VarveEmbeddingModel implements EmbeddingModel {
    private final Embedder model;

    /**
     * @param model which the caller closes
     */
    public VarveEmbeddingModel(Embedder model) {
        this.model = Objects.requireNonNull(model);
    }

    @Override
    public EmbeddingResponse call(EmbeddingRequest request) {
        int dimension =
                Optional.ofNullable(request.getOptions())
                        .map(EmbeddingOptions::getDimensions)
                        .orElse(model.dimension());
        return response(model.embed(request.getInstructions(), dimension));
    }

    private EmbeddingResponse response(Embeddings embeddings) {
        List<float[]> vectors = embeddings.vectors();
        return new EmbeddingResponse(
                IntStream.range(0, vectors.size())
                        .mapToObj(index -> new Embedding(vectors.get(index), index))
                        .toList(),
                new EmbeddingResponseMetadata(
                        model.info().name(),
                        new DefaultUsage(embeddings.tokens(), 0, embeddings.tokens())));
    }

    @Override
    public float[] embed(Document document) {
        return model.embed(getEmbeddingContent(document));
    }

    @Override
    public int dimensions() {
        return model.dimension();
    }
}

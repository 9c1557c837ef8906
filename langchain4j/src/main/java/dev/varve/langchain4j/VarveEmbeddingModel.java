package dev.varve.langchain4j;

import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.model.ModelProvider;
import dev.langchain4j.model.embedding.EmbeddingModel;
import dev.langchain4j.model.embedding.listener.EmbeddingModelListener;
import dev.langchain4j.model.embedding.request.EmbeddingInput;
import dev.langchain4j.model.embedding.request.EmbeddingInputType;
import dev.langchain4j.model.embedding.request.EmbeddingParameter;
import dev.langchain4j.model.embedding.request.EmbeddingRequest;
import dev.langchain4j.model.embedding.request.EmbeddingRequestParameters;
import dev.langchain4j.model.embedding.response.EmbeddingResponse;
import dev.langchain4j.model.output.TokenUsage;
import dev.varve.api.VarveException;
import dev.varve.embedded.Embedder;
import dev.varve.embedded.Embeddings;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Vectors of texts of a model inside this program. A request may ask for shorter vectors ({@code
 * dimensions}), and its input type selects the prefix that the model was trained with.
 *
 * @since 0.1.0
 */
public final class VarveEmbeddingModel implements EmbeddingModel {
    private final Embedder model;
    private final String queryPrefix;
    private final String documentPrefix;
    private final List<EmbeddingModelListener> listeners;

    /**
     * Creates a model that embeds texts as they are.
     *
     * @param model which the caller closes
     */
    public VarveEmbeddingModel(Embedder model) {
        this(model, "", "", List.of());
    }

    /**
     * @param model which the caller closes
     * @param queryPrefix text before inputs of the type QUERY, such as {@code "search_query: "}
     * @param documentPrefix text before inputs of the type DOCUMENT, such as {@code
     *     "search_document: "}
     * @param listeners receive requests, responses and errors
     */
    public VarveEmbeddingModel(
            Embedder model,
            String queryPrefix,
            String documentPrefix,
            List<EmbeddingModelListener> listeners) {
        this.model = Objects.requireNonNull(model);
        this.queryPrefix = Objects.requireNonNull(queryPrefix);
        this.documentPrefix = Objects.requireNonNull(documentPrefix);
        this.listeners = List.copyOf(listeners);
    }

    @Override
    public EmbeddingResponse doEmbed(EmbeddingRequest request) {
        String prefix = prefix(request.inputType());
        List<String> texts =
                request.inputs().stream().map(EmbeddingInput::text).map(prefix::concat).toList();
        int dimension = Optional.ofNullable(request.dimensions()).orElse(model.dimension());
        try {
            return response(model.embed(texts, dimension));
        } catch (VarveException e) {
            throw ResponseConverter.error(e);
        }
    }

    private String prefix(EmbeddingInputType type) {
        return switch (type) {
            case null -> "";
            case QUERY -> queryPrefix;
            case DOCUMENT -> documentPrefix;
        };
    }

    private EmbeddingResponse response(Embeddings embeddings) {
        return EmbeddingResponse.builder()
                .embeddings(embeddings.vectors().stream().map(Embedding::from).toList())
                .modelName(modelName())
                .tokenUsage(new TokenUsage(embeddings.tokens()))
                .build();
    }

    @Override
    public int dimension() {
        return model.dimension();
    }

    @Override
    public String modelName() {
        return model.info().name();
    }

    @Override
    public Set<EmbeddingParameter<?>> supportedParameters() {
        return Set.of(EmbeddingRequestParameters.DIMENSIONS, EmbeddingRequestParameters.INPUT_TYPE);
    }

    @Override
    public List<EmbeddingModelListener> listeners() {
        return listeners;
    }

    @Override
    public ModelProvider provider() {
        return ModelProvider.OTHER;
    }
}

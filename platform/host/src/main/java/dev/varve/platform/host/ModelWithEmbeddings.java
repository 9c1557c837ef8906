package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.shard.WeightLayout;

import java.util.Optional;

/**
 * A loaded model that generates text and computes vectors or scores of texts. Both use one copy of
 * the weights if one device of this process holds all of them; otherwise a second copy is loaded on
 * the first device. {@link #close} frees both.
 */
@SuppressWarnings("exports") // see package-info
public final class ModelWithEmbeddings implements AutoCloseable {
    private final HostedModel model;
    private final EmbeddingModel embeddings;

    private ModelWithEmbeddings(HostedModel model, EmbeddingModel embeddings) {
        this.model = model;
        this.embeddings = embeddings;
    }

    /**
     * Opens and loads a model.
     *
     * @param asked how texts become results
     * @throws VarveException as {@link HostedModel#open} and {@link EmbeddingModel#open}
     */
    public static ModelWithEmbeddings open(
            HostSettings settings, EmbeddingSettings asked, ModelLoadListener listener) {
        PreparedModel prepared = PreparedModel.open(settings, listener);
        // Fails before anything is loaded if the model computes no embeddings.
        EmbeddingSource source = EmbeddingSource.open(prepared.model().file(), settings, asked);
        return sharing(prepared, source, listener)
                .orElseGet(() -> apart(prepared, source, listener));
    }

    private static Optional<ModelWithEmbeddings> sharing(
            PreparedModel prepared, EmbeddingSource source, ModelLoadListener listener) {
        return canShare(prepared, source)
                ? sharing(prepared.load(), source, listener)
                : Optional.empty();
    }

    private static boolean canShare(PreparedModel prepared, EmbeddingSource source) {
        PlacementRequest request = prepared.request();
        return request.devices().size() == 1
                && request.devices().getFirst().isLocal()
                && request.tensors().rules().isEmpty()
                && prepared.settings().model().computation().weights() != WeightLayout.STREAMED
                && source.causal()
                        .filter(encoder -> encoder.readsOnlyModel(source.pooling()))
                        .isPresent();
    }

    /** Closes the model if it was placed otherwise than requested, because it did not fit. */
    private static Optional<ModelWithEmbeddings> sharing(
            HostedModel model, EmbeddingSource source, ModelLoadListener listener) {
        Optional<ModelWithEmbeddings> both = Optional.empty();
        try {
            both =
                    EmbeddingModel.sharing(model, source, listener)
                            .map(embeddings -> new ModelWithEmbeddings(model, embeddings));
            return both;
        } finally {
            if (both.isEmpty()) {
                model.close();
            }
        }
    }

    /** Loads the embeddings first: the plan of the model then sees the memory that is left. */
    private static ModelWithEmbeddings apart(
            PreparedModel prepared, EmbeddingSource source, ModelLoadListener listener) {
        EmbeddingModel embeddings = EmbeddingModel.load(source, listener, System.nanoTime());
        try {
            return new ModelWithEmbeddings(prepared.load(), embeddings);
        } catch (RuntimeException | Error e) {
            embeddings.close();
            throw e;
        }
    }

    /** Returns the model as one that generates text; closed with this object. */
    public HostedModel model() {
        return model;
    }

    /** Returns the model as one that computes vectors or scores; closed with this object. */
    public EmbeddingModel embeddings() {
        return embeddings;
    }

    @Override
    public void close() {
        try (model) {
            embeddings.close();
        }
    }
}

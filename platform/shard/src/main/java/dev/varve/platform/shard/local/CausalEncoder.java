package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.EncoderGraph;
import dev.varve.api.model.EncoderHead;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.Pooling;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.api.model.TextEncoder;
import dev.varve.api.model.WeightSelector;
import dev.varve.platform.shard.OpenedModel;

import java.util.List;
import java.util.Optional;

/**
 * A model that generates text, as an encoder: the rows after its last norm, with causal attention.
 */
public final class CausalEncoder implements TextEncoder {
    private final OpenedModel model;
    private final Pooling pooling;
    private final EncoderHead head;
    private final Optional<Answers> answers;

    /**
     * Tokens by whose probabilities a model without a classifier ranks documents.
     *
     * @param yes the document meets the requirements
     * @param no it does not
     */
    public record Answers(int yes, int no) {}

    /**
     * @param pooling that of the file; of the last token if the file requests none
     * @param answers empty if the vocabulary has no such tokens
     * @throws VarveException of kind UNSUPPORTED_MODEL if a layer has a state other than attention
     */
    public CausalEncoder(OpenedModel model, Pooling pooling, Optional<Answers> answers) {
        this.model = model;
        this.pooling = pooling;
        this.answers = answers;
        head = EncoderHead.of(model.file(), sizes().embeddingLength(), 0).asShare();
        requireAttention();
    }

    private void requireAttention() {
        for (LayerState state : states()) {
            if (state instanceof LayerState.Recurrent
                    || state instanceof LayerState.Custom own && !own.parts().isEmpty()) {
                throw new VarveException(
                        VarveException.Kind.UNSUPPORTED_MODEL,
                        model.file().path().getFileName()
                                + ": models with recurrent layers (architecture "
                                + model.file().architecture()
                                + ") compute no embeddings");
            }
        }
    }

    List<LayerState> states() {
        return model.adapter().shape().layers();
    }

    @Override
    public ModelShape.Sizes sizes() {
        return model.adapter().shape().sizes();
    }

    @Override
    public int layers() {
        return states().size();
    }

    @Override
    public Pooling pooling() {
        return pooling;
    }

    @Override
    public Pooling rankPooling() {
        return Pooling.LAST;
    }

    @Override
    public EncoderHead head() {
        return head;
    }

    /** Returns the file and the family's adapter. */
    OpenedModel model() {
        return model;
    }

    @Override
    public TensorSelection tensors() {
        return tensors(pooling);
    }

    /** Returns the tensors that results of a pooling need. */
    TensorSelection tensors(Pooling used) {
        TensorSelection.Builder all = new TensorSelection.Builder();
        ofModel().entries().forEach(entry -> all.add(entry.tensor(), entry.use()));
        WeightSelector own = new WeightSelector(model.file());
        head.select(own);
        if (used == Pooling.RANK && !head.ranks() && answers.isPresent()) {
            ModelShape.Sizes sizes = sizes();
            own.add(
                    own.headName() + ".weight",
                    TensorUse.COMPUTED_LOOKUP,
                    sizes.embeddingLength(),
                    sizes.vocabularySize());
        }
        own.build().entries().forEach(entry -> all.add(entry.tensor(), entry.use()));
        return all.build();
    }

    private TensorSelection ofModel() {
        return model.adapter().tensors(model.shape().allLayers());
    }

    /** Whether results of a pooling need only tensors with which the model generates text. */
    public boolean readsOnlyModel(Pooling used) {
        return tensors(used).entries().size() == ofModel().entries().size();
    }

    @Override
    public boolean ranks() {
        return head.ranks() || answers.isPresent();
    }

    /** Without a classifier the score is the probability of yes beside no as the next token. */
    @Override
    public Tensor classify(EncoderGraph graph, Tensor rows) {
        if (head.ranks()) {
            return head.classify(graph, rows);
        }
        Answers tokens = answers.orElseThrow();
        String name = new WeightSelector(model.file()).headName() + ".weight";
        Tensor ids =
                ((EncoderGraphBuilder) graph)
                        .inputs()
                        .integers("answers", () -> new int[] {tokens.yes(), tokens.no()});
        Tensor weights = graph.ops().getRows(graph.weight(name, TensorUse.COMPUTED_LOOKUP), ids);
        return graph.ops().softMax(graph.ops().mulMat(weights, rows));
    }

    @Override
    public Tensor build(EncoderGraph graph) {
        model.adapter().build(graph, model.adapter().shape().allLayers());
        return ((EncoderGraphBuilder) graph)
                .normed()
                .orElseThrow(
                        () ->
                                new VarveException(
                                        VarveException.Kind.UNSUPPORTED_MODEL,
                                        "the plugin of architecture "
                                                + model.file().architecture()
                                                + " offers no rows after the last norm, so that"
                                                + " the model computes no embeddings"));
    }
}

package dev.varve.plugin.decoders;

import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.DecoderBackbone;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.WeightSelector;

import java.util.Optional;

/** A model that is computed as its {@link Decoder} describes it. */
final class DecoderModel implements LayerSplitAdapter {
    private final GgufFile file;
    private final Decoder decoder;
    private final Optional<String> contextVariant;
    private final DecoderBackbone backbone;

    /**
     * @param contextVariant see {@link LayerSplitAdapter#contextVariant}
     */
    DecoderModel(GgufFile file, Decoder decoder, Optional<String> contextVariant) {
        this.file = file;
        this.decoder = decoder;
        this.contextVariant = contextVariant;
        backbone = decoder.backbone();
    }

    @Override
    public ModelShape shape() {
        return backbone.shape(decoder.layers().stream().map(Layer::state).toList());
    }

    @Override
    public Optional<String> contextVariant() {
        return contextVariant;
    }

    @Override
    public TensorSelection tensors(LayerRange range) {
        WeightSelector weights = new WeightSelector(file);
        backbone.selectInput(weights, range);
        for (int layer = range.begin(); layer < range.end(); layer++) {
            decoder.layers().get(layer).select(weights, backbone.width());
        }
        backbone.selectOutput(weights, range);
        return weights.build();
    }

    @Override
    public void build(ShardGraph graph, LayerRange range) {
        Tensor hidden = backbone.input(graph, range);
        if (range.begin() == 0 && decoder.embeddingScale() != 1) {
            hidden = graph.ops().scale(hidden, decoder.embeddingScale());
        }
        for (int layer = range.begin(); layer < range.end(); layer++) {
            graph.capture(layer, hidden);
            boolean last = layer == backbone.layers() - 1;
            hidden = decoder.layers().get(layer).record(graph, hidden, last);
        }
        graph.capture(range.end(), hidden);
        if (backbone.isEndedBy(range)) {
            graph.logits(logits(graph, hidden));
        } else {
            graph.boundaryOutput(hidden);
        }
    }

    private Tensor logits(ShardGraph graph, Tensor hidden) {
        Ops ops = graph.ops();
        String head = new WeightSelector(file).headName();
        Tensor logits = graph.matmul(head, backbone.lastNorm(graph, hidden));
        float scale = decoder.logits().scale();
        float cap = decoder.logits().cap();
        Tensor scaled = scale == 1 ? logits : ops.scale(logits, scale);
        return cap == 0 ? scaled : ops.scale(ops.tanh(ops.scale(scaled, 1 / cap)), cap);
    }
}

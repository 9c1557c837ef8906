package dev.varve.plugin.gemma4;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.ChatDialect;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.ReasoningMarks;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.ShardGraph.Activation;
import dev.varve.api.model.ShardGraph.ExpertChoice;
import dev.varve.api.model.ShardGraph.ExpertRouting;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.api.model.ToolSyntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A {@code gemma4} model: norms before and after attention and feed-forward, sliding and full
 * layers with heads of their own sizes. Variants add embeddings per layer, trailing layers that
 * read the rows of earlier ones, or experts beside the feed-forward.
 */
final class Gemma4Model implements LayerSplitAdapter {
    private static final long FLOAT = Float.BYTES;

    private final Gemma4Sizes sizes;
    private final Gemma4Tensors tensors;
    private final Gemma4Rows rows;

    Gemma4Model(Gemma4Sizes sizes, Gemma4Tensors tensors) {
        this.sizes = sizes;
        this.tensors = tensors;
        rows = new Gemma4Rows(sizes, "");
    }

    @Override
    public ModelShape shape() {
        List<LayerState> layers = new ArrayList<>();
        for (int layer = 0; layer < sizes.layers(); layer++) {
            int kvHeads = sizes.attention().kvHeads()[layer];
            int length = sizes.headLength(layer);
            if (!sizes.ownsRows(layer)) {
                layers.add(new LayerState.SharedAttention(sizes.rows().sources()[layer]));
            } else if (sizes.isSliding(layer)) {
                layers.add(
                        new LayerState.SlidingAttention(
                                sizes.rows().window(), kvHeads, length, length));
            } else {
                layers.add(new LayerState.FullAttention(kvHeads, length, length));
            }
        }
        return sizes.backbone().shape(layers);
    }

    /**
     * No boundary may lie after the first layer whose rows are shared. Boundaries move to the left,
     * beginning with the last one, and keep at least one layer between them.
     */
    @Override
    public List<LayerRange> align(List<LayerRange> ranges) {
        List<LayerRange> aligned = new ArrayList<>(ranges);
        int limit = sizes.lastBoundary();
        for (int i = ranges.size() - 1; i > 0; i--) {
            int begin = Math.min(aligned.get(i).begin(), limit);
            if (begin < 1) {
                throw new VarveException(
                        VarveException.Kind.INVALID_REQUEST,
                        "layers from "
                                + sizes.lastBoundary()
                                + " on share K and V rows and cannot be split: at most "
                                + (sizes.lastBoundary() + 1)
                                + " shards, found "
                                + ranges.size());
            }
            aligned.set(i, new LayerRange(begin, aligned.get(i).end()));
            aligned.set(
                    i - 1, new LayerRange(Math.min(aligned.get(i - 1).begin(), begin - 1), begin));
            limit = begin - 1;
        }
        return List.copyOf(aligned);
    }

    /** The hidden state and the per-layer embeddings of all layers from here on. */
    @Override
    public int boundaryLength(int layer) {
        return sizes.width() + sizes.perLayerWidth() * (sizes.layers() - layer);
    }

    @Override
    public TensorSelection tensors(LayerRange range) {
        return tensors.select(range);
    }

    @Override
    public ChatDialect chatDialect() {
        return new ChatDialect(
                Optional.of(
                        new ReasoningMarks(
                                "<|channel>", "thought\n", "<channel|>", "\n<channel|>")),
                Optional.of(
                        new ToolSyntax.Braced("<|tool_call>", "<tool_call|>", "call:", "<|\"|>")));
    }

    @Override
    public void build(ShardGraph graph, LayerRange range) {
        Ops ops = graph.ops();
        Tensor hidden;
        Optional<PerLayerInput> perLayer;
        if (range.begin() == 0) {
            Tensor text = graph.embed("token_embd.weight");
            // Rows of images are not scaled.
            hidden = graph.withImages(ops.scale(text, (float) Math.sqrt(sizes.width())));
            perLayer = perLayerInput(graph, hidden);
        } else {
            Tensor boundary = graph.boundary();
            hidden = ops.view2d(boundary, sizes.width(), graph.tokens(), boundary.nb(1), 0);
            perLayer = PerLayerInput.behind(boundary, sizes, range.begin());
        }
        for (int layer = range.begin(); layer < range.end(); layer++) {
            graph.capture(layer, hidden);
            if (layer == sizes.owningLayers()) {
                // The layers from here on write no rows that a later token would need.
                hidden = graph.lastColumns(hidden);
                perLayer = perLayer.map(all -> all.lastColumns(graph));
            }
            hidden = layer(graph, layer, hidden, perLayer);
        }
        graph.capture(range.end(), hidden);
        if (range.end() < sizes.layers()) {
            graph.boundaryOutput(
                    perLayer.isPresent()
                            ? ops.concat(hidden, perLayer.get().from(ops, range.end()), 0)
                            : hidden);
            return;
        }
        Tensor normed = sizes.backbone().lastNorm(graph, hidden);
        Tensor logits = graph.matmul(tensors.head(), normed);
        float cap = sizes.extras().softcap();
        graph.logits(cap == 0 ? logits : ops.scale(ops.tanh(ops.scale(logits, 1 / cap)), cap));
    }

    /** Embeddings that each layer adds: of the token itself, and projected from its embedding. */
    private Optional<PerLayerInput> perLayerInput(ShardGraph graph, Tensor hidden) {
        if (sizes.perLayerWidth() == 0) {
            return Optional.empty();
        }
        Ops ops = graph.ops();
        long width = sizes.perLayerWidth();
        long layers = sizes.layers();
        Tensor own =
                ops.scale(
                        ops.reshape3d(
                                graph.embed("per_layer_token_embd.weight"),
                                width,
                                layers,
                                graph.tokens()),
                        (float) Math.sqrt(width));
        Tensor projected =
                ops.scale(
                        graph.matmul("per_layer_model_proj", hidden),
                        1 / (float) Math.sqrt(sizes.width()));
        Tensor normed =
                graph.norm(
                        ops.reshape3d(projected, width, layers, graph.tokens()),
                        "per_layer_proj_norm.weight",
                        sizes.backbone().epsilon());
        Tensor sum = ops.scale(ops.add(normed, own), 1 / (float) Math.sqrt(2));
        return Optional.of(
                new PerLayerInput(ops.reshape2d(sum, width * layers, graph.tokens()), sizes, 0, 0));
    }

    private Tensor layer(
            ShardGraph graph, int layer, Tensor input, Optional<PerLayerInput> perLayer) {
        Ops ops = graph.ops();
        boolean last = layer == sizes.layers() - 1;
        Tensor attended = attention(graph, layer, norm(graph, layer, "attn_norm", input));
        Tensor residual = input;
        if (last) {
            // All operations after the last attention are per column, so only requested columns
            // continue.
            attended = graph.outputColumns(attended);
            residual = graph.outputColumns(residual);
        }
        Tensor middle = ops.add(norm(graph, layer, "post_attention_norm", attended), residual);
        Tensor fed =
                tensors.isMixture(layer)
                        ? mixture(graph, layer, middle)
                        : dense(graph, layer, middle);
        Tensor hidden = ops.add(norm(graph, layer, "post_ffw_norm", fed), middle);
        if (perLayer.isPresent()) {
            Tensor own = perLayer.get().of(ops, layer);
            hidden = addPerLayer(graph, layer, hidden, last ? graph.outputColumns(own) : own);
        }
        Optional<Tensor> scale =
                graph.optionalWeight(
                        block(layer, "layer_output_scale.weight"), TensorUse.ELEMENTWISE);
        return scale.isPresent() ? ops.mul(hidden, scale.get()) : hidden;
    }

    /**
     * Scores are not scaled: queries and keys are normalised, and so are values, without weight.
     */
    private Tensor attention(ShardGraph graph, int layer, Tensor input) {
        List<Tensor> parts =
                graph.projections(input, Gemma4Tensors.fused(layer), tensors.projections(layer));
        Tensor query = graph.heads(parts.getFirst(), sizes.attention().heads()[layer]);
        query = rows.rotate(graph, layer, norm(graph, layer, "attn_q_norm", query));
        Tensor attended;
        if (sizes.ownsRows(layer)) {
            Gemma4Rows.Made made = rows.make(graph, layer, parts.get(1), parts.getLast());
            attended = graph.attention(layer, query, made.keys(), made.values(), 1);
        } else {
            attended = graph.sharedAttention(layer, query, 1);
        }
        return graph.matmul(block(layer, "attn_output"), attended);
    }

    private Tensor dense(ShardGraph graph, int layer, Tensor hidden) {
        return graph.gatedFeedForward(
                norm(graph, layer, "ffn_norm", hidden),
                Gemma4Tensors.dense(layer),
                Activation.GELU);
    }

    /** The dense feed-forward and routed experts in parallel, each followed by a norm. */
    private Tensor mixture(ShardGraph graph, int layer, Tensor hidden) {
        Ops ops = graph.ops();
        Gemma4Sizes.Experts experts = sizes.feedForward().experts().orElseThrow();
        Tensor dense = norm(graph, layer, "post_ffw_norm_1", dense(graph, layer, hidden));
        // The router reads the residual stream, not the experts' normalised input.
        Tensor routed =
                ops.mul(
                        ops.scale(
                                ops.rmsNorm(hidden, sizes.backbone().epsilon()),
                                1 / (float) Math.sqrt(sizes.width())),
                        graph.weight(block(layer, "ffn_gate_inp.scale"), TensorUse.ELEMENTWISE));
        Tensor probabilities =
                ops.softMax(graph.product(block(layer, "ffn_gate_inp.weight"), routed));
        ExpertChoice choice =
                graph.chooseExperts(
                        probabilities,
                        Optional.empty(),
                        new ExpertRouting(experts.used(), true, 1));
        Tensor mixed =
                graph.expertFeedForward(
                        norm(graph, layer, "pre_ffw_norm_2", hidden),
                        choice,
                        block(layer, "ffn"),
                        Activation.GELU);
        return ops.add(dense, norm(graph, layer, "post_ffw_norm_2", mixed));
    }

    private Tensor addPerLayer(ShardGraph graph, int layer, Tensor hidden, Tensor own) {
        Ops ops = graph.ops();
        Tensor gate = ops.gelu(graph.matmul(block(layer, "inp_gate"), hidden));
        Tensor projected = graph.matmul(block(layer, "proj"), ops.mul(gate, own));
        return ops.add(hidden, norm(graph, layer, "post_norm", projected));
    }

    private Tensor norm(ShardGraph graph, int layer, String name, Tensor input) {
        return graph.norm(input, block(layer, name + ".weight"), sizes.backbone().epsilon());
    }

    /**
     * The embeddings of several layers, adjacent in each column.
     *
     * @param columns {@code F32 [.., T]}
     * @param first layer whose embedding comes first
     * @param offset bytes before it in each column
     */
    private record PerLayerInput(Tensor columns, Gemma4Sizes sizes, int first, long offset) {
        /** The embeddings after the hidden state of a boundary. */
        static Optional<PerLayerInput> behind(Tensor boundary, Gemma4Sizes sizes, int layer) {
            return sizes.perLayerWidth() == 0
                    ? Optional.empty()
                    : Optional.of(new PerLayerInput(boundary, sizes, layer, sizes.width() * FLOAT));
        }

        PerLayerInput lastColumns(ShardGraph graph) {
            return new PerLayerInput(graph.lastColumns(columns), sizes, first, offset);
        }

        /** The embedding of one layer, {@code F32 [perLayerWidth, T]}. */
        Tensor of(Ops ops, int layer) {
            return view(ops, layer, 1);
        }

        /** The embeddings of a layer and all later layers. */
        Tensor from(Ops ops, int layer) {
            return view(ops, layer, sizes.layers() - layer);
        }

        private Tensor view(Ops ops, int layer, int count) {
            long width = sizes.perLayerWidth();
            return ops.view2d(
                    columns,
                    width * count,
                    columns.ne(1),
                    columns.nb(1),
                    offset + (layer - first) * width * FLOAT);
        }
    }
}

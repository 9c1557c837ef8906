package dev.varve.plugin.gemma4;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ChatDialect;
import dev.varve.api.model.DraftHead;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.ShardGraph.Activation;
import dev.varve.api.model.ShardGraph.FeedForwardNames;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A {@code gemma4-assistant}: a few narrow blocks that draft a token from the last token and the
 * last hidden state of the model. They have no keys and values of their own, but attend to those of
 * two of the model's last layers. These rows are computed again here, from the inputs of those
 * layers, so that it does not matter where the model keeps its own.
 *
 * @see <a href="https://huggingface.co/docs/transformers/model_doc/gemma4_assistant">Gemma 4
 *     assistants</a>
 */
final class Gemma4Assistant implements LayerSplitAdapter {
    static final String ARCHITECTURE = "gemma4-assistant";

    /** Number of layers before the blocks: one, which keeps no state. */
    private static final int FRONT = 1;

    private static final String HEAD = "token_embd";
    private static final String TABLE = AssistantTensors.TARGET + "token_embd.weight";

    private final AssistantSizes sizes;
    private final Gemma4Sizes target;
    private final AssistantTensors tensors;
    private final Gemma4Rows rows;
    private final List<Integer> captures;

    private Gemma4Assistant(AssistantSizes sizes, Gemma4Sizes target, AssistantTensors tensors) {
        this.sizes = sizes;
        this.target = target;
        this.tensors = tensors;
        rows = new Gemma4Rows(target, AssistantTensors.TARGET);
        captures =
                Stream.concat(IntStream.of(sizes.sources()).boxed(), Stream.of(target.layers()))
                        .toList();
    }

    /**
     * Opens a file.
     *
     * @return empty if it is of another architecture
     */
    static Optional<DraftHead> open(GgufFile file, GgufFile target, ModelOptions options) {
        if (!file.architecture().equals(ARCHITECTURE)) {
            return Optional.empty();
        }
        Gemma4Sizes model = Gemma4Sizes.read(target, options);
        AssistantSizes sizes = AssistantSizes.read(file, options, model);
        Gemma4Assistant assistant =
                new Gemma4Assistant(sizes, model, new AssistantTensors(file, sizes, target, model));
        return Optional.of(new DraftHead(assistant, assistant.captures));
    }

    /** The first of the blocks that read the same rows keeps them. */
    @Override
    public ModelShape shape() {
        List<LayerState> states = new ArrayList<>(List.of(LayerState.Custom.nothing()));
        for (int block = 0; block < sizes.blocks(); block++) {
            int first = sizes.rows().first(block);
            int source = sizes.rows().sources()[block];
            int heads = target.attention().kvHeads()[source];
            int length = target.headLength(source);
            if (first < block) {
                states.add(new LayerState.SharedAttention(FRONT + first));
            } else if (sizes.rows().sliding()[block]) {
                // A row holds the position before its own, so the draft token attends to one fewer.
                int window = sizes.rows().window() - 1;
                states.add(new LayerState.SlidingAttention(window, heads, length, length));
            } else {
                states.add(new LayerState.FullAttention(heads, length, length));
            }
        }
        return new ModelShape(ARCHITECTURE, target.backbone().sizes(), states, 0);
    }

    @Override
    public int boundaryLength(int layer) {
        return (captures.size() + 1) * target.width();
    }

    @Override
    public TensorSelection tensors(LayerRange range) {
        return tensors.all();
    }

    @Override
    public ChatDialect chatDialect() {
        return new ChatDialect(Optional.empty(), Optional.empty());
    }

    @Override
    public void build(ShardGraph graph, LayerRange range) {
        Tensor hidden = mix(graph);
        for (int block = 0; block < sizes.blocks(); block++) {
            hidden = compute(graph, block, hidden);
        }
        Tensor normed = graph.norm(hidden, "output_norm.weight", sizes.epsilon());
        graph.capture(range.end(), graph.matmul("nextn.post_projection", normed));
        graph.logits(graph.matmul(HEAD, graph.outputColumns(normed)));
    }

    /** Combines token and hidden state. */
    private Tensor mix(ShardGraph graph) {
        Ops ops = graph.ops();
        Tensor model = part(graph, captures.size() - 1);
        Tensor own = part(graph, captures.size());
        String norm = AssistantTensors.TARGET + "output_norm.weight";
        // One of them is zero, and its norm is zero as well.
        Tensor state = ops.add(graph.norm(model, norm, target.backbone().epsilon()), own);
        Tensor token = ops.scale(graph.embed(TABLE), (float) Math.sqrt(target.width()));
        return graph.matmul("nextn.pre_projection", ops.concat(token, state, 0));
    }

    /** One of the states in an input row, {@code F32 [width of the model, T]}. */
    private Tensor part(ShardGraph graph, int index) {
        Tensor all = graph.boundary();
        int width = target.width();
        long offset = (long) index * width * Float.BYTES;
        return graph.ops().view2d(all, width, graph.tokens(), all.nb(1), offset);
    }

    private Tensor compute(ShardGraph graph, int block, Tensor input) {
        Ops ops = graph.ops();
        Tensor attended = attention(graph, block, norm(graph, block, "attn_norm", input));
        Tensor residual = input;
        if (block == sizes.blocks() - 1) {
            attended = graph.outputColumns(attended);
            residual = graph.outputColumns(residual);
        }
        Tensor middle = ops.add(norm(graph, block, "post_attention_norm", attended), residual);
        Tensor fed =
                graph.gatedFeedForward(
                        norm(graph, block, "ffn_norm", middle),
                        FeedForwardNames.of(block(block, "ffn")),
                        Activation.GELU);
        Tensor hidden = ops.add(norm(graph, block, "post_ffw_norm", fed), middle);
        return ops.mul(
                hidden,
                graph.weight(block(block, "layer_output_scale.weight"), TensorUse.ELEMENTWISE));
    }

    /** Scores are not scaled, as in the model. */
    private Tensor attention(ShardGraph graph, int block, Tensor input) {
        boolean slides = sizes.rows().sliding()[block];
        Tensor query =
                graph.heads(
                        graph.matmul(block(block, "attn_q"), input),
                        sizes.attention().heads()[block]);
        query = norm(graph, block, "attn_q_norm", query);
        Optional<Tensor> factors =
                slides
                        ? Optional.empty()
                        : Optional.of(
                                graph.weight(Gemma4Tensors.ROPE_FACTORS, TensorUse.ELEMENTWISE));
        query =
                graph.ops()
                        .ropeExt(
                                query,
                                graph.nextPositions(),
                                factors,
                                sizes.attention().head(slides).rope());
        int layer = FRONT + block;
        Tensor attended;
        if (sizes.rows().first(block) == block) {
            Gemma4Rows.Made made = rows(graph, sizes.rows().sources()[block]);
            attended = graph.attention(layer, query, made.keys(), made.values(), 1);
        } else {
            attended = graph.sharedAttention(layer, query, 1);
        }
        return graph.matmul(block(block, "attn_output"), attended);
    }

    /** Computes keys and values from the input of a layer, as the model does. */
    private Gemma4Rows.Made rows(ShardGraph graph, int layer) {
        Tensor normed =
                graph.norm(
                        part(graph, captures.indexOf(layer)),
                        AssistantTensors.TARGET + block(layer, "attn_norm.weight"),
                        target.backbone().epsilon());
        List<Tensor> parts =
                graph.projections(
                        normed,
                        AssistantTensors.TARGET + Gemma4Tensors.fused(layer),
                        tensors.projections(layer));
        int keys = tensors.isFused(layer) ? 1 : 0;
        return rows.make(graph, layer, parts.get(keys), parts.getLast());
    }

    private Tensor norm(ShardGraph graph, int block, String name, Tensor input) {
        return graph.norm(input, block(block, name + ".weight"), sizes.epsilon());
    }
}

package dev.varve.plugin.qwen35;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.ModelFormatException;
import dev.varve.api.model.ChatDialect;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelKeys;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.WeightSelector;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * The multi-token prediction block after the backbone, which drafts the token after the next one:
 * token and hidden state are combined, and pass through a layer with full attention to a norm and a
 * head. Tensors that the file lacks are those of the backbone.
 *
 * @see <a href="https://arxiv.org/abs/2412.19437">DeepSeek-V3, section 2.2</a>
 */
final class Qwen35NextToken implements LayerSplitAdapter {
    private static final String TABLE = "token_embd";
    private static final String NORM = "output_norm.weight";

    private final Qwen35Sizes sizes;
    private final Qwen35Layers layers;
    private final int layer;
    private final String table;
    private final String head;
    private final String lastNorm;
    private final TensorSelection tensors;

    private Qwen35NextToken(GgufFile file, GgufFile target, Qwen35Sizes sizes) {
        this.sizes = sizes;
        layers = new Qwen35Layers(sizes);
        layer = sizes.backbone().layers();
        WeightSelector own = new WeightSelector(file);
        table = own.has(name("embed_tokens") + ".weight") ? name("embed_tokens") : TABLE;
        String normed = name("shared_head_norm") + ".weight";
        lastNorm = own.has(normed) ? normed : NORM;
        WeightSelector trunk = new WeightSelector(target);
        String usualHead = (own.has(own.headName() + ".weight") ? own : trunk).headName();
        head = own.has(name("shared_head_head") + ".weight") ? name("shared_head_head") : usualHead;
        selectBlock(own, file);
        selectEnds(
                own.has(table + ".weight") ? own : trunk, own.has(head + ".weight") ? own : trunk);
        // The input of the backbone's head is normalised with the backbone's norm, whatever the
        // file contains.
        trunk.vector(NORM, sizes.backbone().width());
        tensors = both(own.build(), trunk.build());
    }

    /**
     * Opens the block.
     *
     * @return empty if a file has none
     */
    static Optional<LayerSplitAdapter> open(GgufFile file, GgufFile target, ModelOptions options) {
        ModelKeys keys = new ModelKeys(file, options);
        if (keys.skippedBlocks() == 0) {
            return Optional.empty();
        }
        if (keys.skippedBlocks() > 1) {
            throw keys.wrong(
                    "nextn_predict_layers",
                    "1 block for multi-token prediction",
                    keys.skippedBlocks());
        }
        return Optional.of(new Qwen35NextToken(file, target, Qwen35Sizes.read(file, options)));
    }

    private String name(String part) {
        return block(layer, "nextn." + part);
    }

    private void selectBlock(WeightSelector own, GgufFile file) {
        int width = sizes.backbone().width();
        own.matrix(name("eh_proj"), 2L * width, width);
        own.vector(name("enorm.weight"), width);
        own.vector(name("hnorm.weight"), width);
        new Qwen35Tensors(file, sizes).select(own, layer, innerWidth(file));
        if (!lastNorm.equals(NORM)) {
            own.vector(lastNorm, width);
        }
    }

    /** The keys hold the widths of the backbone's layers only. */
    private int innerWidth(GgufFile file) {
        if (sizes.feedForward().experts().isPresent()) {
            return 0;
        }
        String gate = Qwen35Tensors.dense(layer).name("gate") + ".weight";
        long width = file.requireTensor(gate).ne(1);
        if (width > Integer.MAX_VALUE) {
            throw new ModelFormatException(
                    file.path(),
                    gate,
                    "at most " + Integer.MAX_VALUE + " rows",
                    Long.toString(width));
        }
        return (int) width;
    }

    private void selectEnds(WeightSelector front, WeightSelector back) {
        ModelShape.Sizes widths = sizes.backbone().sizes();
        front.table(table + ".weight", widths.embeddingLength(), widths.vocabularySize());
        back.matrix(head, widths.embeddingLength(), widths.vocabularySize());
    }

    private static TensorSelection both(TensorSelection own, TensorSelection trunk) {
        TensorSelection.Builder all = new TensorSelection.Builder();
        // The backbone's tensors come first: the first of two with one name counts.
        trunk.entries().forEach(entry -> all.add(entry.tensor(), entry.use()));
        own.entries().forEach(entry -> all.add(entry.tensor(), entry.use()));
        return all.build();
    }

    @Override
    public ModelShape shape() {
        List<LayerState> states =
                new ArrayList<>(Collections.nCopies(layer, LayerState.Custom.nothing()));
        states.add(sizes.attention().state());
        return sizes.backbone().shape(states);
    }

    @Override
    public int boundaryLength(int layer) {
        return 2 * sizes.backbone().width();
    }

    @Override
    public TensorSelection tensors(LayerRange range) {
        return tensors;
    }

    @Override
    public ChatDialect chatDialect() {
        return new ChatDialect(Optional.empty(), Optional.empty());
    }

    @Override
    public void build(ShardGraph graph, LayerRange range) {
        Ops ops = graph.ops();
        float epsilon = sizes.backbone().epsilon();
        Tensor mixed = mix(graph, epsilon);
        Tensor normed = graph.norm(mixed, block(layer, "attn_norm.weight"), epsilon);
        Tensor attended = graph.outputColumns(layers.attention(graph, layer, normed));
        Tensor residual = ops.add(attended, graph.outputColumns(mixed));
        Tensor hidden = graph.norm(layers.feedForward(graph, layer, residual), lastNorm, epsilon);
        graph.capture(range.end(), hidden);
        graph.logits(graph.matmul(head, graph.outputColumns(hidden)));
    }

    /** Combines token and hidden state. */
    private Tensor mix(ShardGraph graph, float epsilon) {
        Ops ops = graph.ops();
        int width = sizes.backbone().width();
        Tensor both = graph.boundary();
        Tensor trunk = ops.view2d(both, width, graph.tokens(), both.nb(1), 0);
        Tensor own =
                ops.view2d(both, width, graph.tokens(), both.nb(1), (long) width * Float.BYTES);
        // One of them is zero, and its norm is zero as well.
        Tensor hidden = ops.add(graph.norm(trunk, NORM, epsilon), own);
        Tensor token = graph.norm(graph.embed(table + ".weight"), name("enorm.weight"), epsilon);
        Tensor state = graph.norm(hidden, name("hnorm.weight"), epsilon);
        return graph.matmul(name("eh_proj"), ops.concat(token, state, 0));
    }
}

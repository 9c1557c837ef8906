package dev.varve.api.model;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.ModelFormatException;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The multi-token prediction block after a backbone, which drafts the token after the next one: the
 * norms of a token's embedding and of the hidden state of the token before are combined, and pass
 * through one layer of the family to a norm and a head. Tensors that the file lacks are those of
 * the backbone. See {@link ModelFamilyProvider#openMtp}.
 *
 * <p>Grows: later versions may add to it, and existing parts stay.
 *
 * @see <a href="https://arxiv.org/abs/2412.19437">DeepSeek-V3, section 2.2</a>
 */
public final class MtpBlock implements LayerSplitAdapter {
    private static final String TABLE = "token_embd";
    private static final String NORM = "output_norm.weight";

    private final DecoderBackbone backbone;
    private final Layer layer;
    private final String table;
    private final String head;
    private final String lastNorm;
    private final TensorSelection tensors;

    /** The layer of a block. Its number is the backbone's count of layers. */
    public interface Layer {
        /** Its keys and values. */
        LayerState state();

        /** Selects its tensors, with the norms of its parts. */
        void select(WeightSelector weights);

        /**
         * Returns its output with the residual.
         *
         * @param hidden {@code F32 [width, T]}
         * @return {@code F32 [width, n]}, the columns that {@link ShardGraph#outputColumns} keeps
         */
        Tensor record(ShardGraph graph, Tensor hidden);
    }

    private MtpBlock(GgufFile file, GgufFile target, DecoderBackbone backbone, Layer layer) {
        this.backbone = backbone;
        this.layer = layer;
        WeightSelector own = new WeightSelector(file);
        table = own.has(name("embed_tokens") + ".weight") ? name("embed_tokens") : TABLE;
        String normed = name("shared_head_norm") + ".weight";
        lastNorm = own.has(normed) ? normed : NORM;
        WeightSelector trunk = new WeightSelector(target);
        String usualHead = (own.has(own.headName() + ".weight") ? own : trunk).headName();
        head = own.has(name("shared_head_head") + ".weight") ? name("shared_head_head") : usualHead;
        selectBlock(own);
        selectEnds(
                own.has(table + ".weight") ? own : trunk, own.has(head + ".weight") ? own : trunk);
        // The input of the backbone's head is normalised with the backbone's norm, whatever the
        // file contains.
        trunk.vector(NORM, backbone.width());
        tensors = both(own.build(), trunk.build());
    }

    /**
     * Opens the block of a file.
     *
     * @param file file with the block
     * @param target file of the target model, which supplies tensors that the other file lacks
     * @param layer reads the layer behind the backbone's
     * @return empty if the file declares no block, or has no tensor {@code blk.N.nextn.*} of it
     * @throws ModelFormatException if it declares more than one, or if a tensor is missing or has
     *     another shape
     */
    public static Optional<LayerSplitAdapter> open(
            GgufFile file, GgufFile target, ModelOptions options, Supplier<Layer> layer) {
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
        String prefix = block(keys.layers(), "nextn.");
        // Some converters leave out the block, and its key remains.
        return file.tensors().stream().anyMatch(tensor -> tensor.name().startsWith(prefix))
                ? Optional.of(new MtpBlock(file, target, keys.trunk(), layer.get()))
                : Optional.empty();
    }

    private String name(String part) {
        return block(backbone.layers(), "nextn." + part);
    }

    private void selectBlock(WeightSelector own) {
        int width = backbone.width();
        own.matrix(name("eh_proj"), 2L * width, width);
        own.vector(name("enorm.weight"), width);
        own.vector(name("hnorm.weight"), width);
        layer.select(own);
        if (!lastNorm.equals(NORM)) {
            own.vector(lastNorm, width);
        }
    }

    private void selectEnds(WeightSelector front, WeightSelector back) {
        ModelShape.Sizes widths = backbone.sizes();
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
                new ArrayList<>(
                        Collections.nCopies(backbone.layers(), LayerState.Custom.nothing()));
        states.add(layer.state());
        return backbone.shape(states);
    }

    @Override
    public int boundaryLength(int number) {
        return 2 * backbone.width();
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
        Tensor output = layer.record(graph, mix(graph));
        Tensor hidden = graph.norm(output, lastNorm, backbone.epsilon());
        graph.capture(range.end(), hidden);
        graph.logits(graph.matmul(head, graph.outputColumns(hidden)));
    }

    /** Combines token and hidden state. */
    private Tensor mix(ShardGraph graph) {
        Ops ops = graph.ops();
        int width = backbone.width();
        float epsilon = backbone.epsilon();
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

package acme.tiny;

import dev.varve.api.ggml.Tensor;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.model.ChatDialect;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.PreTokenizer;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Models of an embedding table, a norm and an output head around one gated feed-forward. */
public final class TinyFamily implements ModelFamilyProvider {
    @Override
    public Set<String> architectures() {
        return Set.of("acme35");
    }

    /** Under a name that the platform knows, too: its own counts for its own models. */
    @Override
    public Map<String, PreTokenizer> preTokenizers() {
        return Map.of("qwen35", new TinyPreTokenizer());
    }

    @Override
    public LayerSplitAdapter open(GgufFile file, ModelOptions options) {
        GgufTensor embedding = file.requireTensor("token_embd.weight");
        int width = (int) embedding.ne(0);
        int vocabulary = (int) embedding.ne(1);
        float epsilon = (float) file.metadata().number("acme35.attention.layer_norm_rms_epsilon");
        return new LayerSplitAdapter() {
            @Override
            public ModelShape shape() {
                return new ModelShape("acme35", new ModelShape.Sizes(width, vocabulary, 1024), List.of(LayerState.Custom.nothing()), 0);
            }

            @Override
            public TensorSelection tensors(LayerRange range) {
                TensorSelection.Builder selection =
                        new TensorSelection.Builder()
                                .add(embedding, TensorUse.ROW_LOOKUP)
                                .add(
                                        file.requireTensor("output_norm.weight"),
                                        TensorUse.ELEMENTWISE)
                                .add(file.requireTensor("output.weight"), TensorUse.MATMUL);
                for (String name : List.of("gate", "up", "down")) {
                    selection.add(
                            file.requireTensor("blk.0.ffn_" + name + ".weight"), TensorUse.MATMUL);
                }
                return selection.build();
            }

            @Override
            public void build(ShardGraph graph, LayerRange range) {
                Tensor x = graph.outputColumns(graph.embed("token_embd.weight"));
                Tensor y =
                        graph.gatedFeedForward(
                                x,
                                ShardGraph.FeedForwardNames.of("blk.0.ffn"),
                                ShardGraph.Activation.SILU);
                Tensor z = graph.norm(graph.ops().add(y, x), "output_norm.weight", epsilon);
                graph.logits(graph.matmul("output", z));
            }

            @Override
            public ChatDialect chatDialect() {
                return new ChatDialect(Optional.empty(), Optional.of(new TinyToolSyntax()));
            }
        };
    }
}

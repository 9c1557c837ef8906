package dev.varve.plugin.gemma4;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ShardGraph.FeedForwardNames;
import dev.varve.api.model.ShardGraph.Projection;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.api.model.WeightSelector;

import java.util.List;

/**
 * The tensors of an assistant, and those of its model that it computes with. Both files use the
 * same names, so those of the model have a prefix. All are checked when the file is opened.
 */
final class AssistantTensors {
    /** Prefix of the names of the model's tensors. */
    static final String TARGET = "target.";

    private final Gemma4Tensors target;
    private final WeightSelector targetFile;
    private final TensorSelection all;

    AssistantTensors(GgufFile file, AssistantSizes sizes, GgufFile target, Gemma4Sizes model) {
        this.target = new Gemma4Tensors(target, model);
        targetFile = new WeightSelector(target);
        TensorSelection.Builder builder = new TensorSelection.Builder();
        own(file, sizes, model)
                .entries()
                .forEach(entry -> builder.add(entry.tensor(), entry.use()));
        ofTarget(sizes, model)
                .entries()
                .forEach(
                        entry ->
                                builder.add(
                                        entry.tensor().renamed(TARGET + entry.tensor().name()),
                                        entry.use()));
        all = builder.build();
    }

    /** All of the tensors. */
    TensorSelection all() {
        return all;
    }

    /** Returns whether a layer of the model has its projections in one matrix. */
    boolean isFused(int layer) {
        return targetFile.has(Gemma4Tensors.fused(layer) + ".weight");
    }

    /** Keys and values of a layer of the model; queries as well if all are in one matrix. */
    List<Projection> projections(int layer) {
        return selected(layer).stream()
                .map(part -> new Projection(TARGET + part.name(), part.rows()))
                .toList();
    }

    private List<Projection> selected(int layer) {
        List<Projection> parts = target.projections(layer);
        return isFused(layer) ? parts : parts.subList(1, parts.size());
    }

    private TensorSelection ofTarget(AssistantSizes sizes, Gemma4Sizes model) {
        int width = model.width();
        targetFile.table("token_embd.weight", width, model.backbone().sizes().vocabularySize());
        targetFile.vector("output_norm.weight", width);
        for (int layer : sizes.sources()) {
            targetFile.vector(block(layer, "attn_norm.weight"), width);
            targetFile.projections(width, Gemma4Tensors.fused(layer), selected(layer));
            targetFile.vector(block(layer, "attn_k_norm.weight"), model.headLength(layer));
            if (!model.isSliding(layer)) {
                targetFile.addIfPresent(
                        Gemma4Tensors.ROPE_FACTORS,
                        TensorUse.ELEMENTWISE,
                        model.attention().full().rope().dims() / 2);
            }
        }
        return targetFile.build();
    }

    private static TensorSelection own(GgufFile file, AssistantSizes sizes, Gemma4Sizes model) {
        WeightSelector weights = new WeightSelector(file);
        int width = sizes.width();
        weights.matrix("nextn.pre_projection", 2L * model.width(), width);
        weights.matrix("nextn.post_projection", width, model.width());
        weights.matrix("token_embd", width, model.backbone().sizes().vocabularySize());
        weights.vector("output_norm.weight", width);
        for (int block = 0; block < sizes.blocks(); block++) {
            boolean slides = sizes.rows().sliding()[block];
            Gemma4Sizes.Head head = sizes.attention().head(slides);
            long queries = (long) head.length() * sizes.attention().heads()[block];
            weights.vector(block(block, "attn_norm.weight"), width);
            weights.matrix(block(block, "attn_q"), width, queries);
            weights.vector(block(block, "attn_q_norm.weight"), head.length());
            weights.matrix(block(block, "attn_output"), queries, width);
            weights.vector(block(block, "post_attention_norm.weight"), width);
            weights.vector(block(block, "ffn_norm.weight"), width);
            weights.feedForward(
                    FeedForwardNames.of(block(block, "ffn")), width, sizes.feedForward()[block]);
            weights.vector(block(block, "post_ffw_norm.weight"), width);
            weights.vector(block(block, "layer_output_scale.weight"), 1);
            if (!slides) {
                weights.vector(Gemma4Tensors.ROPE_FACTORS, head.rope().dims() / 2);
            }
        }
        return weights.build();
    }
}

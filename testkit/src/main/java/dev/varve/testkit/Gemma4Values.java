package dev.varve.testkit;

import java.util.List;
import java.util.stream.IntStream;

/** The metadata of a {@link Gemma4Model}. */
final class Gemma4Values {
    private Gemma4Values() {}

    static void addTo(GgufWriter writer, Gemma4Model model) {
        Qwen35Model.Size size = model.size();
        Gemma4Model.Attention attention = model.attention();
        List<Integer> layers = IntStream.range(0, size.layers()).boxed().toList();
        boolean sameFeedForward = !model.sharing().wideFeedForward();
        boolean sameHeads =
                attention.heads() == attention.fullHeads()
                        && attention.kvHeads() == attention.fullKvHeads();
        writer.put("general.architecture", GgufValue.of("gemma4"))
                .put("general.name", GgufValue.of("Random gemma4, seed " + model.weights().seed()))
                .put("gemma4.block_count", GgufValue.of(size.layers()))
                .put("gemma4.context_length", GgufValue.of(size.context()))
                .put("gemma4.embedding_length", GgufValue.of(size.embedding()))
                .put(
                        "gemma4.feed_forward_length",
                        sameFeedForward
                                ? GgufValue.of(size.feedForward())
                                : GgufValue.ints(layers.stream().map(model::feedForward).toList()))
                .put(
                        "gemma4.attention.head_count",
                        sameHeads
                                ? GgufValue.of(attention.heads())
                                : GgufValue.ints(layers.stream().map(attention::headsOf).toList()))
                .put(
                        "gemma4.attention.head_count_kv",
                        sameHeads
                                ? GgufValue.of(attention.kvHeads())
                                : GgufValue.ints(
                                        layers.stream().map(attention::kvHeadsOf).toList()))
                .put("gemma4.attention.key_length", GgufValue.of(attention.fullHeadDim()))
                .put("gemma4.attention.value_length", GgufValue.of(attention.fullHeadDim()))
                .put("gemma4.attention.key_length_swa", GgufValue.of(attention.headDim()))
                .put("gemma4.attention.value_length_swa", GgufValue.of(attention.headDim()))
                .put("gemma4.attention.layer_norm_rms_epsilon", GgufValue.of(1e-6f))
                .put("gemma4.attention.sliding_window", GgufValue.of(attention.window()))
                .put(
                        "gemma4.attention.sliding_window_pattern",
                        GgufValue.booleans(attention.sliding()))
                .put("gemma4.attention.shared_kv_layers", GgufValue.of(model.sharing().layers()))
                .put("gemma4.embedding_length_per_layer_input", GgufValue.of(model.perLayerWidth()))
                .put("gemma4.rope.freq_base", GgufValue.of(1e6f))
                .put("gemma4.rope.freq_base_swa", GgufValue.of(1e4f))
                .put("gemma4.rope.dimension_count", GgufValue.of(attention.fullHeadDim()))
                .put("gemma4.rope.dimension_count_swa", GgufValue.of(attention.headDim()));
        model.softcap()
                .ifPresent(
                        cap ->
                                writer.put(
                                        "gemma4.final_logit_softcapping",
                                        GgufValue.of((float) cap)));
        Gemma4Model.Experts experts = model.experts();
        if (experts.count() > 0) {
            writer.put("gemma4.expert_count", GgufValue.of(experts.count()))
                    .put("gemma4.expert_used_count", GgufValue.of(experts.used()))
                    .put("gemma4.expert_feed_forward_length", GgufValue.of(experts.feedForward()));
        }
    }
}

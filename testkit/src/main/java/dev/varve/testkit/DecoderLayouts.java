package dev.varve.testkit;

import java.util.List;

/**
 * Keys and tensors of each {@link DecoderLayout} whose layers have plain attention. {@link
 * HybridLayouts} has the others.
 */
final class DecoderLayouts {
    private DecoderLayouts() {}

    static void llama(DecoderWriter writer) {
        writer.backbone(writer.chance());
        writer.heads();
        writer.key("rope.dimension_count", writer.size().head());
        if (writer.chance()) {
            writer.divisors("rope_freqs.weight", writer.size().head() / 2, 7);
        } else {
            writer.scaling("yarn", 4, 256);
        }
        writer.dense(writer.chance(), "ffn_norm");
    }

    static void mixtral(DecoderWriter writer) {
        writer.backbone(false);
        writer.heads();
        writer.key("rope.dimension_count", writer.size().head())
                .key("feed_forward_length", writer.size().expert());
        writer.expertKeys(2);
        writer.eachLayer(
                layer -> {
                    writer.plainLayer(layer, false, "ffn_norm");
                    writer.router(layer);
                    writer.experts(layer, false, writer.size().expert());
                });
    }

    static void mistral3(DecoderWriter writer) {
        writer.backbone(writer.chance());
        writer.heads();
        writer.key("rope.dimension_count", writer.size().head())
                .key("rope.scaling.yarn_log_multiplier", 1f)
                .key("rope.scaling.yarn_beta_fast", 32f)
                .key("rope.scaling.yarn_beta_slow", 1f)
                .key("attention.temperature_scale", 0.1f);
        writer.scaling("yarn", 16, 64);
        writer.dense(false, "ffn_norm");
    }

    static void qwen2(DecoderWriter writer) {
        writer.backbone(writer.chance());
        writer.key("attention.head_count", writer.size().heads())
                .key("attention.head_count_kv", writer.size().kvHeads());
        writer.dense(true, "ffn_norm");
    }

    static void qwen2moe(DecoderWriter writer) {
        writer.backbone(false);
        writer.heads();
        writer.key("feed_forward_length", writer.size().feedForward())
                .key("expert_feed_forward_length", writer.size().expert())
                .key("expert_shared_feed_forward_length", 128);
        writer.expertKeys(3);
        writer.eachLayer(
                layer -> {
                    writer.plainLayer(layer, true, "ffn_norm");
                    writer.router(layer);
                    writer.experts(layer, false, writer.size().expert());
                    writer.floats(
                            layer,
                            "ffn_gate_inp_shexp.weight",
                            List.of(writer.size().width()),
                            0,
                            0.06);
                    writer.feedForward(layer, "_shexp", 128);
                });
    }

    static void qwen3moe(DecoderWriter writer) {
        writer.backbone(false);
        writer.heads();
        writer.key("feed_forward_length", writer.size().feedForward())
                .key("expert_feed_forward_length", writer.size().expert());
        writer.expertKeys(3);
        writer.eachLayer(
                layer -> {
                    writer.plainLayer(layer, false, "ffn_norm");
                    writer.headNorms(layer);
                    writer.router(layer);
                    writer.experts(layer, false, writer.size().expert());
                });
    }

    static void gptOss(DecoderWriter writer) {
        boolean small = writer.size().used().isEmpty();
        int heads = small ? 8 : writer.size().heads();
        int head = small ? 32 : writer.size().head();
        int inner = small ? 128 : writer.size().expert();
        int width = writer.size().width();
        writer.backbone(false);
        writer.key("attention.head_count", heads)
                .key("attention.head_count_kv", writer.size().kvHeads())
                .key("attention.key_length", head)
                .key("attention.value_length", head)
                .key("attention.sliding_window", small ? 8 : 128)
                .key("expert_feed_forward_length", inner);
        writer.scaling("yarn", 32, 4096);
        writer.expertKeys(4);
        writer.eachLayer(
                layer -> {
                    writer.norm(layer, "attn_norm");
                    writer.matrix(layer, "attn_q", width, heads * head);
                    writer.bias(layer, "attn_q", heads * head);
                    for (String part : List.of("attn_k", "attn_v")) {
                        writer.matrix(layer, part, width, writer.size().kvHeads() * head);
                        writer.bias(layer, part, writer.size().kvHeads() * head);
                    }
                    writer.matrix(layer, "attn_output", heads * head, width);
                    writer.bias(layer, "attn_output", width);
                    writer.floats(layer, "attn_sinks.weight", List.of(heads), 0, 1);
                    writer.norm(layer, "post_attention_norm");
                    writer.router(layer);
                    writer.bias(layer, "ffn_gate_inp", writer.size().experts());
                    writer.experts(layer, false, inner);
                    writer.floats(
                            layer,
                            "ffn_gate_exps.bias",
                            List.of(inner, writer.size().experts()),
                            0,
                            0.3);
                    writer.floats(
                            layer,
                            "ffn_up_exps.bias",
                            List.of(inner, writer.size().experts()),
                            0,
                            0.3);
                    writer.floats(
                            layer,
                            "ffn_down_exps.bias",
                            List.of(width, writer.size().experts()),
                            0,
                            0.3);
                });
    }

    static void glm4(DecoderWriter writer) {
        writer.backbone(writer.chance());
        writer.heads();
        writer.key("rope.dimension_count", writer.size().head() / 2)
                .key("feed_forward_length", writer.size().feedForward());
        writer.eachLayer(
                layer -> {
                    writer.plainLayer(layer, true, "ffn_norm");
                    writer.norm(layer, "post_attention_norm");
                    writer.matrix(
                            layer,
                            "ffn_up",
                            writer.size().width(),
                            2 * writer.size().feedForward());
                    writer.matrix(
                            layer, "ffn_down", writer.size().feedForward(), writer.size().width());
                    writer.norm(layer, "post_ffw_norm");
                });
    }

    static void gemma3(DecoderWriter writer) {
        writer.backbone(true);
        writer.heads();
        writer.key("attention.sliding_window", 8)
                .key("feed_forward_length", writer.size().feedForward());
        writer.scaling("linear", 8, DecoderModel.CONTEXT);
        writer.eachLayer(
                layer -> {
                    writer.plainLayer(layer, false, "ffn_norm");
                    writer.headNorms(layer);
                    writer.norm(layer, "post_attention_norm");
                    writer.feedForward(layer, "", writer.size().feedForward());
                    writer.norm(layer, "post_ffw_norm");
                });
    }

    static void minimaxM2(DecoderWriter writer) {
        writer.backbone(false);
        writer.heads();
        writer.key("rope.dimension_count", writer.size().head() / 2)
                .key("feed_forward_length", writer.size().expert())
                .key("expert_feed_forward_length", writer.size().expert())
                .key("expert_gating_func", 2);
        writer.expertKeys(3);
        writer.eachLayer(
                layer -> {
                    writer.plainLayer(layer, false, "ffn_norm");
                    writer.rowNorms(layer);
                    writer.router(layer);
                    writer.bias(layer, "exp_probs_b", writer.size().experts());
                    writer.experts(layer, false, writer.size().expert());
                });
    }

    static void granite(DecoderWriter writer) {
        writer.backbone(true);
        writer.heads();
        writer.key("rope.dimension_count", writer.size().head())
                .key("rope.scaling.finetuned", writer.chance());
        writer.graniteFactors();
        writer.dense(false, "ffn_norm");
    }

    static void granitemoe(DecoderWriter writer) {
        writer.backbone(true);
        writer.heads();
        writer.key("rope.dimension_count", writer.size().head())
                .key("rope.scaling.finetuned", writer.chance())
                .key("feed_forward_length", writer.size().expert())
                .key("expert_shared_feed_forward_length", 128);
        writer.graniteFactors();
        writer.expertKeys(3);
        writer.eachLayer(
                layer -> {
                    writer.plainLayer(layer, false, "ffn_norm");
                    writer.sharedAndRoutedExperts(layer);
                });
    }

    static void phi3(DecoderWriter writer) {
        writer.backbone(writer.chance());
        writer.heads();
        writer.key("rope.dimension_count", writer.size().head() * 3 / 4)
                .key("feed_forward_length", writer.size().feedForward());
        if (writer.chance()) {
            writer.key("rope.scaling.type", "longrope")
                    .key("rope.scaling.original_context_length", DecoderModel.LONG_CONTEXT)
                    .key("rope.scaling.attn_factor", 1.19f);
            writer.divisors("rope_factors_long.weight", writer.size().head() * 3 / 8, 30);
            writer.divisors("rope_factors_short.weight", writer.size().head() * 3 / 8, 2);
        }
        writer.eachLayer(
                layer -> {
                    writer.norm(layer, "attn_norm");
                    writer.attention(layer, true, false);
                    writer.norm(layer, "ffn_norm");
                    writer.matrix(
                            layer,
                            "ffn_up",
                            writer.size().width(),
                            2 * writer.size().feedForward());
                    writer.matrix(
                            layer, "ffn_down", writer.size().feedForward(), writer.size().width());
                });
    }

    static void seedOss(DecoderWriter writer) {
        writer.backbone(writer.chance());
        writer.heads();
        writer.dense(true, "post_attention_norm");
    }

    static void olmo2(DecoderWriter writer) {
        olmo(writer);
    }

    /** With windows and scaled rotations of the full layers. */
    static void olmo3(DecoderWriter writer) {
        writer.key("attention.sliding_window", 16).key("rope.scaling.yarn_attn_factor", 1.2079442f);
        writer.scaling("yarn", 8, 256);
        olmo(writer);
    }

    private static void olmo(DecoderWriter writer) {
        writer.backbone(false);
        writer.heads();
        writer.key("feed_forward_length", writer.size().feedForward());
        writer.eachLayer(
                layer -> {
                    writer.attention(layer, false, false);
                    writer.rowNorms(layer);
                    writer.norm(layer, "post_attention_norm");
                    writer.feedForward(layer, "", writer.size().feedForward());
                    writer.norm(layer, "post_ffw_norm");
                });
    }

    static void ernie(DecoderWriter writer) {
        writer.backbone(true);
        writer.heads();
        writer.dense(false, "ffn_norm");
    }

    static void ernieMoe(DecoderWriter writer) {
        boolean biased = writer.chance();
        writer.backbone(true);
        writer.heads();
        writer.key("feed_forward_length", writer.size().feedForward())
                .key("expert_feed_forward_length", writer.size().expert())
                .key("expert_shared_count", 1)
                .key("expert_shared_feed_forward_length", 128)
                .key("leading_dense_block_count", 1)
                .key("interleave_moe_layer_step", 1);
        writer.expertKeys(3);
        writer.eachLayer(
                layer -> {
                    writer.plainLayer(layer, false, "ffn_norm");
                    if (layer == 0) {
                        writer.feedForward(layer, "", writer.size().feedForward());
                        return;
                    }
                    if (biased) {
                        writer.bias(layer, "exp_probs_b", writer.size().experts());
                    }
                    writer.sharedAndRoutedExperts(layer);
                });
    }

    static void hunyuan(DecoderWriter writer) {
        writer.backbone(true);
        writer.heads();
        writer.key("rope.scaling.alpha", 1000f)
                .key("feed_forward_length", writer.size().feedForward());
        writer.eachLayer(
                layer -> {
                    writer.plainLayer(layer, false, "ffn_norm");
                    writer.headNorms(layer);
                    writer.feedForward(layer, "", writer.size().feedForward());
                });
    }

    static void hunyuanMoe(DecoderWriter writer) {
        writer.backbone(true);
        writer.heads();
        writer.key("feed_forward_length", writer.size().expert())
                .key("expert_feed_forward_length", writer.size().expert())
                .key("expert_shared_feed_forward_length", 128);
        writer.expertKeys(writer.chance() ? 1 : 3);
        writer.eachLayer(
                layer -> {
                    writer.plainLayer(layer, false, "ffn_norm");
                    writer.headNorms(layer);
                    writer.sharedAndRoutedExperts(layer);
                });
    }
}

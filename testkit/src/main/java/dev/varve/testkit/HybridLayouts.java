package dev.varve.testkit;

import java.util.List;

/**
 * Keys and tensors of each {@link DecoderLayout} with latent attention, recurrent layers, or a
 * block for multi-token prediction.
 */
final class HybridLayouts {
    private HybridLayouts() {}

    static void qwen3next(DecoderWriter writer) {
        qwen3next(writer, false);
    }

    /** With the matrices of older files. */
    static void qwen3nextJoined(DecoderWriter writer) {
        qwen3next(writer, true);
    }

    private static void qwen3next(DecoderWriter writer, boolean joined) {
        writer.backbone(false);
        writer.heads();
        writer.key("rope.dimension_count", 16)
                .key("feed_forward_length", writer.size().feedForward())
                .key("expert_feed_forward_length", writer.size().expert())
                .key("expert_shared_feed_forward_length", 128)
                .key("full_attention_interval", 4);
        writer.scanKeys(4 * 32, 32, 2, 4);
        writer.expertKeys(3);
        boolean fused = writer.chance();
        writer.eachLayer(
                layer -> {
                    writer.norm(layer, "attn_norm");
                    if (layer % 4 == 3) {
                        gatedAttention(writer, layer);
                    } else {
                        deltaNet(writer, layer, joined);
                    }
                    writer.norm(layer, "post_attention_norm");
                    writer.router(layer);
                    writer.experts(layer, fused, writer.size().expert());
                    writer.floats(
                            layer,
                            "ffn_gate_inp_shexp.weight",
                            List.of(writer.size().width()),
                            0,
                            0.06);
                    writer.feedForward(layer, "_shexp", 128);
                });
    }

    /** Attention whose queries have a gate beside each head. */
    private static void gatedAttention(DecoderWriter writer, int layer) {
        int width = writer.size().width();
        writer.matrix(layer, "attn_q", width, 2 * writer.size().heads() * writer.size().head());
        writer.matrix(layer, "attn_k", width, writer.size().kvHeads() * writer.size().head());
        writer.matrix(layer, "attn_v", width, writer.size().kvHeads() * writer.size().head());
        writer.headNorms(layer);
        writer.matrix(layer, "attn_output", writer.size().heads() * writer.size().head(), width);
    }

    private static void deltaNet(DecoderWriter writer, int layer, boolean joined) {
        int width = writer.size().width();
        int state = 32;
        int channels = 2 * 2 * state + 4 * state;
        if (joined) {
            writer.matrix(layer, "ssm_in", width, channels + 4 * state);
        } else {
            writer.matrix(layer, "attn_qkv", width, channels);
            writer.matrix(layer, "attn_gate", width, 4 * state);
        }
        writer.floats(layer, "ssm_conv1d.weight", List.of(4, channels), 0, 0.5);
        writer.bias(layer, "ssm_dt", 4);
        writer.decays(layer, List.of(4));
        writer.matrix(layer, "ssm_ba", width, 2 * 4);
        writer.norm(layer, "ssm_norm", state);
        writer.matrix(layer, "ssm_out", 4 * state, width);
    }

    private static void latentAttention(DecoderWriter writer, int layer, boolean absorbed) {
        DecoderModel.Latent sizes = writer.size().latent();
        int width = writer.size().width();
        writer.norm(layer, "attn_norm");
        writer.matrix(layer, "attn_q_a", width, sizes.queryRow());
        writer.norm(layer, "attn_q_a_norm", sizes.queryRow());
        writer.matrix(layer, "attn_q_b", sizes.queryRow(), writer.size().heads() * sizes.key());
        latentKeys(writer, layer, absorbed, writer.size().heads());
    }

    private static void latentKeys(DecoderWriter writer, int layer, boolean absorbed, int heads) {
        DecoderModel.Latent sizes = writer.size().latent();
        writer.matrix(layer, "attn_kv_a_mqa", writer.size().width(), sizes.row() + sizes.rotated());
        writer.norm(layer, "attn_kv_a_norm", sizes.row());
        if (absorbed) {
            writer.matrices(layer, "attn_k_b", sizes.plain(), sizes.row(), heads);
            writer.matrices(layer, "attn_v_b", sizes.row(), sizes.value(), heads);
        } else {
            writer.matrix(layer, "attn_kv_b", sizes.row(), heads * (sizes.plain() + sizes.value()));
        }
        writer.matrix(layer, "attn_output", heads * sizes.value(), writer.size().width());
        writer.norm(layer, "ffn_norm");
    }

    private static void latentExperts(DecoderWriter writer, int layer, boolean fused) {
        if (layer == 0) {
            writer.feedForward(layer, "", writer.size().feedForward());
            return;
        }
        writer.router(layer);
        writer.experts(layer, fused, writer.size().expert());
        writer.feedForward(layer, "_shexp", writer.size().expert());
    }

    private static void latentSizes(DecoderWriter writer, boolean absorbed) {
        DecoderModel.Latent sizes = writer.size().latent();
        writer.key("attention.kv_lora_rank", sizes.row())
                .key("rope.dimension_count", sizes.rotated())
                .key("leading_dense_block_count", 1)
                .key("feed_forward_length", writer.size().feedForward())
                .key("expert_feed_forward_length", writer.size().expert())
                .key("expert_shared_count", 1);
        if (absorbed) {
            writer.key("attention.head_count_kv", 1)
                    .key("attention.key_length", sizes.row() + sizes.rotated())
                    .key("attention.value_length", sizes.row())
                    .key("attention.key_length_mla", sizes.key())
                    .key("attention.value_length_mla", sizes.value());
        } else {
            writer.key("attention.key_length", sizes.key())
                    .key("attention.value_length", sizes.value());
        }
    }

    static void deepseek2(DecoderWriter writer) {
        deepseek2(writer, true);
    }

    static void deepseek2Old(DecoderWriter writer) {
        deepseek2(writer, false);
    }

    private static void deepseek2(DecoderWriter writer, boolean absorbed) {
        writer.backbone(false);
        writer.key("attention.head_count", writer.size().heads())
                .key("attention.q_lora_rank", writer.size().latent().queryRow());
        if (!absorbed) {
            writer.key("attention.head_count_kv", writer.size().heads());
        }
        latentSizes(writer, absorbed);
        writer.expertKeys(3);
        writer.key("expert_gating_func", 2)
                .key("expert_weights_norm", true)
                .key("expert_weights_scale", 2.5f)
                .key("expert_group_count", 4)
                .key("expert_group_used_count", 2)
                .key("rope.scaling.yarn_log_multiplier", 0.1f);
        writer.scaling("yarn", 40, 4096);
        boolean fused = writer.chance();
        writer.eachLayer(
                layer -> {
                    latentAttention(writer, layer, absorbed);
                    latentExperts(writer, layer, fused);
                    if (layer > 0) {
                        writer.bias(layer, "exp_probs_b", writer.size().experts());
                    }
                });
    }

    /** Without a latent row of the queries, which libllama knows by the number of layers. */
    static void deepseek2Lite(DecoderWriter writer) {
        int heads = 2;
        writer.backbone(false);
        writer.key("attention.head_count", heads).key("attention.head_count_kv", heads);
        latentSizes(writer, false);
        writer.expertKeys(3);
        writer.key("expert_weights_scale", 1f).key("rope.scaling.yarn_log_multiplier", 0.0707f);
        writer.scaling("yarn", 40, 4096);
        writer.eachLayer(
                layer -> {
                    writer.norm(layer, "attn_norm");
                    writer.matrix(
                            layer,
                            "attn_q",
                            writer.size().width(),
                            heads * writer.size().latent().key());
                    latentKeys(writer, layer, false, heads);
                    latentExperts(writer, layer, false);
                });
    }

    static void glm4moe(DecoderWriter writer) {
        boolean norms = writer.chance();
        writer.backbone(false);
        writer.heads();
        writer.key("rope.dimension_count", writer.size().head() / 2)
                .key("feed_forward_length", writer.size().feedForward())
                .key("expert_feed_forward_length", writer.size().expert())
                .key("expert_shared_count", 1)
                .key("leading_dense_block_count", 1)
                .key("expert_gating_func", 2)
                .key("expert_weights_norm", true)
                .key("expert_weights_scale", 2.5f);
        writer.expertKeys(3);
        writer.eachLayer(
                layer -> {
                    writer.plainLayer(layer, true, "post_attention_norm");
                    if (norms) {
                        writer.headNorms(layer);
                    }
                    latentExperts(writer, layer, false);
                    if (layer > 0) {
                        writer.bias(layer, "exp_probs_b", writer.size().experts());
                    }
                });
    }

    static void glm4moeMtp(DecoderWriter writer) {
        glm4moe(writer);
        nextToken(writer);
    }

    static void deepseek2Mtp(DecoderWriter writer) {
        deepseek2(writer);
        nextToken(writer);
    }

    /** Makes the last layer a block for multi-token prediction. */
    private static void nextToken(DecoderWriter writer) {
        int layer = writer.layers() - 1;
        int width = writer.size().width();
        writer.key("nextn_predict_layers", 1);
        writer.matrix(layer, "nextn.eh_proj", 2 * width, width);
        writer.norm(layer, "nextn.enorm");
        writer.norm(layer, "nextn.hnorm");
        if (writer.chance()) {
            writer.norm(layer, "nextn.shared_head_norm");
        }
        if (writer.chance()) {
            writer.ends(layer, "nextn.embed_tokens", "nextn.shared_head_head");
        }
    }

    static void granitehybrid(DecoderWriter writer) {
        boolean experts = writer.chance();
        int inner = 2 * writer.size().width();
        int[] heads = {0, 0, writer.size().kvHeads(), 0, writer.size().kvHeads(), 0};
        writer.backbone(true);
        writer.key("attention.head_count", writer.size().heads())
                .key("attention.head_count_kv", heads)
                .key("rope.dimension_count", writer.size().head())
                .key("rope.scaling.finetuned", false)
                .key(
                        "feed_forward_length",
                        experts ? writer.size().expert() : writer.size().feedForward());
        writer.scanKeys(inner, 32, 2, 8);
        writer.graniteFactors();
        if (experts) {
            writer.key("expert_shared_feed_forward_length", 128);
            writer.expertKeys(3);
        }
        writer.eachLayer(
                layer -> {
                    if (heads[layer] == 0) {
                        writer.scan(layer, inner, 32, 2, 8);
                    } else {
                        writer.norm(layer, "attn_norm");
                        writer.attention(layer, false, false);
                    }
                    writer.norm(layer, "ffn_norm");
                    if (experts) {
                        writer.sharedAndRoutedExperts(layer);
                    } else {
                        writer.feedForward(layer, "", writer.size().feedForward());
                    }
                });
    }

    static void nemotron(DecoderWriter writer) {
        nemotron(writer, false);
    }

    static void nemotronMoe(DecoderWriter writer) {
        nemotron(writer, true);
    }

    private static void nemotron(DecoderWriter writer, boolean experts) {
        int[] heads = {0, 0, 0, writer.size().kvHeads(), 0, 0};
        int[] inner = {0, writer.size().feedForward(), 0, 0, writer.size().feedForward(), 0};
        boolean latent = experts && writer.chance();
        int outer = latent ? 64 : writer.size().width();
        writer.backbone(false);
        writer.key("attention.head_count", writer.size().heads())
                .key("attention.head_count_kv", heads)
                .key("attention.key_length", writer.size().head())
                .key("attention.value_length", writer.size().head())
                .key("attention.layer_norm_epsilon", 1e-5f)
                .key("rope.dimension_count", writer.size().head())
                .key("feed_forward_length", inner);
        writer.scanKeys(384, 32, 2, 8);
        if (experts) {
            writer.expertKeys(3);
            writer.key("expert_feed_forward_length", writer.size().expert())
                    .key("expert_shared_feed_forward_length", 128)
                    .key("expert_shared_count", 1)
                    .key("expert_weights_norm", true)
                    .key("expert_weights_scale", 2.5f)
                    .key("expert_gating_func", 2);
            if (latent) {
                writer.key("moe_latent_size", outer);
            }
        }
        writer.eachLayer(
                layer -> {
                    if (inner[layer] == 0 && heads[layer] == 0) {
                        writer.scan(layer, 384, 32, 2, 8);
                        return;
                    }
                    writer.norm(layer, "attn_norm");
                    if (heads[layer] > 0) {
                        writer.attention(layer, false, false);
                    } else if (experts) {
                        nemotronExperts(writer, layer, latent, outer);
                    } else {
                        writer.plainFeedForward(layer, "", writer.size().feedForward());
                    }
                });
    }

    private static void nemotronExperts(
            DecoderWriter writer, int layer, boolean latent, int outer) {
        writer.router(layer);
        writer.bias(layer, "exp_probs_b", writer.size().experts());
        if (latent) {
            writer.matrix(layer, "ffn_latent_down", writer.size().width(), outer);
            writer.matrix(layer, "ffn_latent_up", outer, writer.size().width());
        }
        writer.matrices(
                layer, "ffn_up_exps", outer, writer.size().expert(), writer.size().experts());
        writer.matrices(
                layer, "ffn_down_exps", writer.size().expert(), outer, writer.size().experts());
        writer.plainFeedForward(layer, "_shexp", 128);
    }
}

package dev.varve.testkit;

import java.util.List;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/** Keys and tensors of each {@link DecoderLayout}. */
final class DecoderLayouts {
    private DecoderLayouts() {}

    private static void layers(DecoderWriter writer, IntConsumer layer) {
        IntStream.range(0, writer.layers()).forEach(layer);
    }

    /** Attention with its norm, and the norm of the feed-forward. */
    private static void plain(DecoderWriter writer, int layer, boolean biases, String norm) {
        writer.norm(layer, "attn_norm");
        writer.attention(layer, false, biases);
        writer.norm(layer, norm);
    }

    private static void dense(DecoderWriter writer, boolean biases, String norm) {
        writer.key("feed_forward_length", writer.size().feedForward());
        layers(
                writer,
                layer -> {
                    plain(writer, layer, biases, norm);
                    writer.feedForward(layer, "", writer.size().feedForward());
                });
    }

    private static void scaling(DecoderWriter writer, String type, float factor, int original) {
        writer.key("rope.scaling.type", type)
                .key("rope.scaling.factor", factor)
                .key("rope.scaling.original_context_length", original);
    }

    static void llama(DecoderWriter writer) {
        writer.backbone(writer.chance());
        writer.heads();
        writer.key("rope.dimension_count", writer.size().head());
        if (writer.chance()) {
            writer.divisors("rope_freqs.weight", writer.size().head() / 2, 7);
        } else {
            scaling(writer, "yarn", 4, 256);
        }
        dense(writer, writer.chance(), "ffn_norm");
    }

    static void mixtral(DecoderWriter writer) {
        writer.backbone(false);
        writer.heads();
        writer.key("rope.dimension_count", writer.size().head())
                .key("feed_forward_length", writer.size().expert());
        expertKeys(writer, 2);
        layers(
                writer,
                layer -> {
                    plain(writer, layer, false, "ffn_norm");
                    writer.router(layer);
                    writer.experts(layer, false, writer.size().expert());
                });
    }

    /** Larger models use as many as released ones. */
    private static void expertKeys(DecoderWriter writer, int used) {
        writer.key("expert_count", writer.size().experts())
                .key("expert_used_count", writer.size().used().orElse(used));
    }

    static void mistral3(DecoderWriter writer) {
        writer.backbone(writer.chance());
        writer.heads();
        writer.key("rope.dimension_count", writer.size().head())
                .key("rope.scaling.yarn_log_multiplier", 1f)
                .key("rope.scaling.yarn_beta_fast", 32f)
                .key("rope.scaling.yarn_beta_slow", 1f)
                .key("attention.temperature_scale", 0.1f);
        scaling(writer, "yarn", 16, 64);
        dense(writer, false, "ffn_norm");
    }

    static void qwen2(DecoderWriter writer) {
        writer.backbone(writer.chance());
        writer.key("attention.head_count", writer.size().heads())
                .key("attention.head_count_kv", writer.size().kvHeads());
        dense(writer, true, "ffn_norm");
    }

    static void qwen2moe(DecoderWriter writer) {
        writer.backbone(false);
        writer.heads();
        writer.key("feed_forward_length", writer.size().feedForward())
                .key("expert_feed_forward_length", writer.size().expert())
                .key("expert_shared_feed_forward_length", 128);
        expertKeys(writer, 3);
        layers(
                writer,
                layer -> {
                    plain(writer, layer, true, "ffn_norm");
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
        expertKeys(writer, 3);
        layers(
                writer,
                layer -> {
                    plain(writer, layer, false, "ffn_norm");
                    writer.headNorms(layer);
                    writer.router(layer);
                    writer.experts(layer, false, writer.size().expert());
                });
    }

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
        expertKeys(writer, 3);
        boolean fused = writer.chance();
        layers(
                writer,
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
        scaling(writer, "yarn", 32, 4096);
        expertKeys(writer, 4);
        layers(
                writer,
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
        expertKeys(writer, 3);
        writer.key("expert_gating_func", 2)
                .key("expert_weights_norm", true)
                .key("expert_weights_scale", 2.5f)
                .key("expert_group_count", 4)
                .key("expert_group_used_count", 2)
                .key("rope.scaling.yarn_log_multiplier", 0.1f);
        scaling(writer, "yarn", 40, 4096);
        boolean fused = writer.chance();
        layers(
                writer,
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
        expertKeys(writer, 3);
        writer.key("expert_weights_scale", 1f).key("rope.scaling.yarn_log_multiplier", 0.0707f);
        scaling(writer, "yarn", 40, 4096);
        layers(
                writer,
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

    static void glm4(DecoderWriter writer) {
        writer.backbone(writer.chance());
        writer.heads();
        writer.key("rope.dimension_count", writer.size().head() / 2)
                .key("feed_forward_length", writer.size().feedForward());
        layers(
                writer,
                layer -> {
                    plain(writer, layer, true, "ffn_norm");
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
        expertKeys(writer, 3);
        layers(
                writer,
                layer -> {
                    plain(writer, layer, true, "post_attention_norm");
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

    static void gemma3(DecoderWriter writer) {
        writer.backbone(true);
        writer.heads();
        writer.key("attention.sliding_window", 8)
                .key("feed_forward_length", writer.size().feedForward());
        scaling(writer, "linear", 8, DecoderModel.CONTEXT);
        layers(
                writer,
                layer -> {
                    plain(writer, layer, false, "ffn_norm");
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
        expertKeys(writer, 3);
        layers(
                writer,
                layer -> {
                    plain(writer, layer, false, "ffn_norm");
                    writer.rowNorms(layer);
                    writer.router(layer);
                    writer.bias(layer, "exp_probs_b", writer.size().experts());
                    writer.experts(layer, false, writer.size().expert());
                });
    }

    private static void graniteFactors(DecoderWriter writer) {
        writer.key("embedding_scale", 12f)
                .key("attention.scale", 0.0625f)
                .key("residual_scale", 0.22f)
                .key("logit_scale", 8f);
    }

    static void granite(DecoderWriter writer) {
        writer.backbone(true);
        writer.heads();
        writer.key("rope.dimension_count", writer.size().head())
                .key("rope.scaling.finetuned", writer.chance());
        graniteFactors(writer);
        dense(writer, false, "ffn_norm");
    }

    static void granitemoe(DecoderWriter writer) {
        writer.backbone(true);
        writer.heads();
        writer.key("rope.dimension_count", writer.size().head())
                .key("rope.scaling.finetuned", writer.chance())
                .key("feed_forward_length", writer.size().expert())
                .key("expert_shared_feed_forward_length", 128);
        graniteFactors(writer);
        expertKeys(writer, 3);
        layers(
                writer,
                layer -> {
                    plain(writer, layer, false, "ffn_norm");
                    graniteExperts(writer, layer);
                });
    }

    private static void graniteExperts(DecoderWriter writer, int layer) {
        writer.router(layer);
        writer.experts(layer, false, writer.size().expert());
        writer.feedForward(layer, "_shexp", 128);
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
        graniteFactors(writer);
        if (experts) {
            writer.key("expert_shared_feed_forward_length", 128);
            expertKeys(writer, 3);
        }
        layers(
                writer,
                layer -> {
                    if (heads[layer] == 0) {
                        writer.scan(layer, inner, 32, 2, 8);
                    } else {
                        writer.norm(layer, "attn_norm");
                        writer.attention(layer, false, false);
                    }
                    writer.norm(layer, "ffn_norm");
                    if (experts) {
                        graniteExperts(writer, layer);
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
            expertKeys(writer, 3);
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
        layers(
                writer,
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

    static void phi3(DecoderWriter writer) {
        writer.backbone(writer.chance());
        writer.heads();
        writer.key("rope.dimension_count", writer.size().head() * 3 / 4)
                .key("feed_forward_length", writer.size().feedForward());
        if (writer.chance()) {
            writer.key("rope.scaling.type", "longrope")
                    .key("rope.scaling.original_context_length", DecoderModel.CONTEXT)
                    .key("rope.scaling.attn_factor", 1.19f);
            writer.divisors("rope_factors_long.weight", writer.size().head() * 3 / 8, 30);
            writer.divisors("rope_factors_short.weight", writer.size().head() * 3 / 8, 2);
        }
        layers(
                writer,
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
        dense(writer, true, "post_attention_norm");
    }

    static void olmo2(DecoderWriter writer) {
        olmo(writer);
    }

    /** With windows and scaled rotations of the full layers. */
    static void olmo3(DecoderWriter writer) {
        writer.key("attention.sliding_window", 16).key("rope.scaling.yarn_attn_factor", 1.2079442f);
        scaling(writer, "yarn", 8, 256);
        olmo(writer);
    }

    private static void olmo(DecoderWriter writer) {
        writer.backbone(false);
        writer.heads();
        writer.key("feed_forward_length", writer.size().feedForward());
        layers(
                writer,
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
        dense(writer, false, "ffn_norm");
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
        expertKeys(writer, 3);
        layers(
                writer,
                layer -> {
                    plain(writer, layer, false, "ffn_norm");
                    if (layer == 0) {
                        writer.feedForward(layer, "", writer.size().feedForward());
                        return;
                    }
                    if (biased) {
                        writer.bias(layer, "exp_probs_b", writer.size().experts());
                    }
                    graniteExperts(writer, layer);
                });
    }

    static void hunyuan(DecoderWriter writer) {
        writer.backbone(true);
        writer.heads();
        writer.key("rope.scaling.alpha", 1000f)
                .key("feed_forward_length", writer.size().feedForward());
        layers(
                writer,
                layer -> {
                    plain(writer, layer, false, "ffn_norm");
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
        expertKeys(writer, writer.chance() ? 1 : 3);
        layers(
                writer,
                layer -> {
                    plain(writer, layer, false, "ffn_norm");
                    writer.headNorms(layer);
                    graniteExperts(writer, layer);
                });
    }
}

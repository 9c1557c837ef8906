package dev.varve.testkit;

import java.util.function.Consumer;

/** Architectures of random {@link DecoderModel}s, and the forms of them that differ much. */
public enum DecoderLayout implements OfArchitecture {
    LLAMA("llama", 4, DecoderLayouts::llama),
    MIXTRAL("llama", 3, DecoderLayouts::mixtral),
    MISTRAL3("mistral3", 4, DecoderLayouts::mistral3),
    QWEN2("qwen2", 4, DecoderLayouts::qwen2),
    QWEN2MOE("qwen2moe", 3, DecoderLayouts::qwen2moe),
    QWEN3MOE("qwen3moe", 3, DecoderLayouts::qwen3moe),
    QWEN3NEXT("qwen3next", 8, HybridLayouts::qwen3next),
    QWEN3NEXT_JOINED("qwen3next", 4, HybridLayouts::qwen3nextJoined),
    GPT_OSS("gpt-oss", 4, DecoderLayouts::gptOss),
    DEEPSEEK2("deepseek2", 4, HybridLayouts::deepseek2),
    DEEPSEEK2_OLD("deepseek2", 4, HybridLayouts::deepseek2Old),
    DEEPSEEK2_LITE("deepseek2", 27, HybridLayouts::deepseek2Lite),
    GLM4("glm4", 4, DecoderLayouts::glm4),
    GLM4MOE("glm4moe", 4, HybridLayouts::glm4moe),
    GEMMA3("gemma3", 8, DecoderLayouts::gemma3),
    MINIMAX_M2("minimax-m2", 3, DecoderLayouts::minimaxM2),
    GRANITE("granite", 4, DecoderLayouts::granite),
    GRANITEMOE("granitemoe", 3, DecoderLayouts::granitemoe),
    GRANITEHYBRID("granitehybrid", 6, HybridLayouts::granitehybrid),
    NEMOTRON_H("nemotron_h", 6, HybridLayouts::nemotron),
    NEMOTRON_H_MOE("nemotron_h_moe", 6, HybridLayouts::nemotronMoe),
    PHI3("phi3", 4, DecoderLayouts::phi3),
    SEED_OSS("seed_oss", 4, DecoderLayouts::seedOss),
    OLMO2("olmo2", 4, DecoderLayouts::olmo2),
    OLMO3("olmo2", 5, DecoderLayouts::olmo3),
    ERNIE4_5("ernie4_5", 4, DecoderLayouts::ernie),
    ERNIE4_5_MOE("ernie4_5-moe", 4, DecoderLayouts::ernieMoe),
    HUNYUAN_DENSE("hunyuan-dense", 4, DecoderLayouts::hunyuan),
    HUNYUAN_MOE("hunyuan-moe", 3, DecoderLayouts::hunyuanMoe),
    /** The last block is one for multi-token prediction. */
    GLM4MOE_MTP("glm4moe", 5, HybridLayouts::glm4moeMtp),
    /** The same. */
    DEEPSEEK2_MTP("deepseek2", 5, HybridLayouts::deepseek2Mtp);

    private final String architecture;
    private final int layers;
    private final Consumer<DecoderWriter> contents;

    DecoderLayout(String architecture, int layers, Consumer<DecoderWriter> contents) {
        this.architecture = architecture;
        this.layers = layers;
        this.contents = contents;
    }

    @Override
    public String architecture() {
        return architecture;
    }

    int layers() {
        return layers;
    }

    void write(DecoderWriter writer) {
        contents.accept(writer);
    }
}

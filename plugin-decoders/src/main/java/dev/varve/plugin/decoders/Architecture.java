package dev.varve.plugin.decoders;

import dev.varve.api.gguf.GgufFile;

import java.util.Locale;

/**
 * The architectures of this plugin, and the reader of each. Every start loads this class, so it
 * refers to no reader before it is needed: Java would create a class for each reference.
 */
enum Architecture {
    LLAMA("llama"),
    MISTRAL3("mistral3"),
    GRANITE("granite"),
    GRANITEMOE("granitemoe"),
    GRANITEHYBRID("granitehybrid"),
    ERNIE4_5("ernie4_5"),
    ERNIE4_5_MOE("ernie4_5-moe"),
    QWEN2("qwen2"),
    QWEN2MOE("qwen2moe"),
    QWEN3MOE("qwen3moe"),
    SEED_OSS("seed_oss"),
    HUNYUAN_DENSE("hunyuan-dense"),
    HUNYUAN_MOE("hunyuan-moe"),
    GLM4("glm4"),
    GLM4MOE("glm4moe"),
    MINIMAX_M2("minimax-m2"),
    GEMMA3("gemma3"),
    PHI3("phi3"),
    OLMO2("olmo2"),
    GPT_OSS("gpt-oss"),
    DEEPSEEK2("deepseek2"),
    NEMOTRON_H("nemotron_h"),
    NEMOTRON_H_MOE("nemotron_h_moe");

    private final String key;

    Architecture(String key) {
        this.key = key;
    }

    /** {@code general.architecture} of its files. */
    String key() {
        return key;
    }

    /** Describes a file. */
    Decoder read(DecoderFile file) {
        return switch (this) {
            case LLAMA -> LlamaReader.llama(file);
            case MISTRAL3 -> LlamaReader.mistral3(file);
            case GRANITE -> GraniteReader.dense(file);
            case GRANITEMOE -> GraniteReader.experts(file);
            case GRANITEHYBRID -> GraniteReader.hybrid(file);
            case ERNIE4_5 -> ErnieReader.dense(file);
            case ERNIE4_5_MOE -> ErnieReader.experts(file);
            case QWEN2 -> QwenReader.qwen2(file);
            case QWEN2MOE -> QwenReader.qwen2moe(file);
            case QWEN3MOE -> QwenReader.qwen3moe(file);
            case SEED_OSS -> QwenReader.seedOss(file);
            case HUNYUAN_DENSE -> HunyuanReader.dense(file);
            case HUNYUAN_MOE -> HunyuanReader.experts(file);
            case GLM4 -> GlmReader.glm4(file);
            case GLM4MOE -> GlmReader.glm4moe(file);
            case MINIMAX_M2 -> GlmReader.minimaxM2(file);
            case GEMMA3 -> GemmaReader.gemma3(file);
            case PHI3 -> PhiReader.phi3(file);
            case OLMO2 -> OlmoReader.olmo2(file);
            case GPT_OSS -> GptOssReader.gptOss(file);
            case DEEPSEEK2 -> DeepseekReader.deepseek2(file);
            case NEMOTRON_H, NEMOTRON_H_MOE -> NemotronReader.nemotron(file);
        };
    }

    /** Returns the architecture of a file that the platform chose this plugin for. */
    static Architecture of(GgufFile file) {
        return valueOf(file.architecture().toUpperCase(Locale.ROOT).replace('-', '_'));
    }
}

package dev.varve.plugin.decoders;

import dev.varve.api.gguf.GgufFile;

import java.util.Locale;

/** The architectures of this plugin, and the reader of each. */
enum Architecture {
    LLAMA("llama", LlamaReader::llama),
    MISTRAL3("mistral3", LlamaReader::mistral3),
    GRANITE("granite", GraniteReader::dense),
    GRANITEMOE("granitemoe", GraniteReader::experts),
    GRANITEHYBRID("granitehybrid", GraniteReader::hybrid),
    ERNIE4_5("ernie4_5", ErnieReader::dense),
    ERNIE4_5_MOE("ernie4_5-moe", ErnieReader::experts),
    QWEN2("qwen2", QwenReader::qwen2),
    QWEN2MOE("qwen2moe", QwenReader::qwen2moe),
    QWEN3MOE("qwen3moe", QwenReader::qwen3moe),
    SEED_OSS("seed_oss", QwenReader::seedOss),
    HUNYUAN_DENSE("hunyuan-dense", HunyuanReader::dense),
    HUNYUAN_MOE("hunyuan-moe", HunyuanReader::experts),
    GLM4("glm4", GlmReader::glm4),
    GLM4MOE("glm4moe", GlmReader::glm4moe),
    MINIMAX_M2("minimax-m2", GlmReader::minimaxM2),
    GEMMA3("gemma3", GemmaReader::gemma3),
    PHI3("phi3", PhiReader::phi3),
    OLMO2("olmo2", OlmoReader::olmo2),
    GPT_OSS("gpt-oss", GptOssReader::gptOss),
    DEEPSEEK2("deepseek2", DeepseekReader::deepseek2),
    NEMOTRON_H("nemotron_h", NemotronReader::nemotron),
    NEMOTRON_H_MOE("nemotron_h_moe", NemotronReader::nemotron);

    private final String key;
    private final Reader reader;

    /** Describes a file. */
    @FunctionalInterface
    private interface Reader {
        Decoder read(DecoderFile file);
    }

    Architecture(String key, Reader reader) {
        this.key = key;
        this.reader = reader;
    }

    /** {@code general.architecture} of its files. */
    String key() {
        return key;
    }

    Decoder read(DecoderFile file) {
        return reader.read(file);
    }

    /** Returns the architecture of a file that the platform chose this plugin for. */
    static Architecture of(GgufFile file) {
        return valueOf(file.architecture().toUpperCase(Locale.ROOT).replace('-', '_'));
    }
}

package dev.varve.bench;

import dev.varve.testkit.DecoderLayout;
import dev.varve.testkit.DecoderModel;
import dev.varve.testkit.Gemma4Model;
import dev.varve.testkit.LagunaModel;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.Qwen35MoeModel;
import dev.varve.testkit.Qwen3Model;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** The models that the benchmarks run. */
final class BenchModels {
    private BenchModels() {}

    /**
     * The file of {@code --model}, or a random model of {@code --family}, written to {@code
     * --folder}, which is {@code target} here unless it is given: models are no sources.
     */
    static Path write(Map<String, String> flags) throws IOException {
        if (flags.containsKey("--model")) {
            return Path.of(flags.get("--model"));
        }
        Path folder = Files.createDirectories(Path.of(flags.getOrDefault("--folder", "target")));
        String family = flags.getOrDefault("--family", "qwen35");
        int vocabulary = Integer.parseInt(flags.getOrDefault("--vocab", "151936"));
        return switch (family) {
            case "qwen3" -> Qwen3Model.real06b(vocabulary).write(folder);
            case "qwen35" -> Qwen35Model.real08b(vocabulary).write(folder);
            case "qwen35moe" -> Qwen35MoeModel.midSize().write(folder);
            case "gemma4" -> Gemma4Model.midSize().write(folder);
            case "gemma4moe" -> Gemma4Model.midSizeMoe().write(folder);
            case "laguna" -> LagunaModel.midSize().write(folder);
            case "llama" -> DecoderModel.midSize(DecoderLayout.LLAMA).write(folder);
            case "qwen3moe" -> DecoderModel.midSize(DecoderLayout.QWEN3MOE).write(folder);
            case "gpt-oss" -> DecoderModel.midSize(DecoderLayout.GPT_OSS).write(folder);
            case "deepseek2" -> DecoderModel.midSize(DecoderLayout.DEEPSEEK2).write(folder);
            default ->
                    throw new IllegalArgumentException(
                            "--family: expected qwen3, qwen35, qwen35moe, gemma4, gemma4moe,"
                                    + " laguna, llama, qwen3moe, gpt-oss or deepseek2, found "
                                    + family);
        };
    }
}

package dev.varve.bench;

import dev.varve.testkit.DecoderLayout;
import dev.varve.testkit.DecoderModel;
import dev.varve.testkit.Gemma4Model;
import dev.varve.testkit.LagunaModel;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.Qwen35MoeModel;
import dev.varve.testkit.Qwen3Model;
import dev.varve.testkit.TensorType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Small random models of all families of decoders, for comparisons with libllama. */
final class RandomFamilies {
    /** Decides the sizes, which are odd, and the weights. */
    private static final int SEED = 1;

    private RandomFamilies() {}

    /**
     * Writes a model of each architecture, and of its forms that differ much; models in the folder
     * are kept.
     */
    static List<Path> write(Path folder) throws IOException {
        Files.createDirectories(folder);
        List<Path> files = new ArrayList<>();
        files.add(Qwen3Model.odd(SEED).write(folder));
        files.add(Qwen35Model.odd(SEED).write(folder));
        files.add(Qwen35MoeModel.odd(SEED).write(folder));
        files.add(Gemma4Model.odd(SEED).write(folder));
        files.add(LagunaModel.odd(SEED).write(folder));
        for (DecoderLayout layout : DecoderLayout.values()) {
            files.add(new DecoderModel(layout, SEED, TensorType.Q8_0).write(folder));
        }
        return files;
    }
}

package dev.varve.plugin.gemma4;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.api.vision.ImageEncoderProvider;
import dev.varve.contracts.ImageEncoderContract;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Small random encoders: with bounds of products, with standardised rows, and of patches alone. */
class Gemma4VisionContractTest extends ImageEncoderContract {
    @Override
    protected ImageEncoderProvider provider() {
        return new Gemma4VisionProvider();
    }

    @Override
    protected List<Path> projectors(Path folder) throws IOException {
        Path models =
                Path.of(System.getProperty("varve.test.shared", ""))
                        .resolve("golden/vision/models");
        assumeTrue(Files.isDirectory(models), "no projectors at varve.test.shared: " + models);
        List<Path> copies = new ArrayList<>();
        for (String name : List.of("gemma4v-clip", "gemma4v-std", "gemma4uv")) {
            Path copy = folder.resolve(name + ".gguf");
            if (!Files.exists(copy)) {
                Files.copy(models.resolve(name + ".gguf"), copy);
            }
            copies.add(copy);
        }
        return copies;
    }
}

package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.varve.api.vision.ImageInput;
import dev.varve.platform.remote.BoundaryType;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.shard.image.LocalImageEncoder;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Images reach the layers of other processes: their rows the first ones, and positions all. */
class ImageSplitTest {
    private static final ModelSettings SETTINGS = Cpu.settings(512, 1, Cpu.F16);

    @TempDir static Path folder;
    @TempDir static Path installation;
    private static ListeningShard process;

    @BeforeAll
    static void startProcess() throws Exception {
        for (Pair pair : Pair.values()) {
            Files.copy(VisionGolden.model(pair.text), pair.file());
        }
        process = ListeningShard.start(ShardProgram.install(folder, installation));
    }

    /** Models and their projectors: positions on a grid, and masks in both directions. */
    private enum Pair {
        QWEN("text-qwen35", "qwen3vl"),
        GEMMA("text-gemma4", "gemma4v-std");

        private final String text;
        private final String projector;
        private Optional<ImagePrompt> prompt = Optional.empty();
        private Optional<int[]> whole = Optional.empty();

        Pair(String text, String projector) {
            this.text = text;
            this.projector = projector;
        }

        Path file() {
            return folder.resolve(text + ".gguf");
        }

        ImagePrompt prompt() throws IOException {
            if (prompt.isEmpty()) {
                try (LocalImageEncoder encoder = VisionGolden.encoder(projector)) {
                    ImageInput input = encoder.encoder().input();
                    prompt =
                            Optional.of(
                                    ImagePrompt.read(
                                            text + "--" + projector + "--two",
                                            encoder.encoder(),
                                            image ->
                                                    encoder.encode(
                                                            VisionGolden.pixels(image, input))));
                }
            }
            return prompt.get();
        }

        /** Tokens of the model in this process alone. */
        int[] whole() throws Exception {
            if (whole.isEmpty()) {
                whole = Optional.of(ask(this, List.of("cpu:0")));
            }
            return whole.get();
        }
    }

    @AfterAll
    static void endProcess() {
        if (process != null) {
            process.close();
        }
    }

    private static int[] ask(Pair pair, List<String> devices, int... cuts) throws Exception {
        ImagePrompt prompt = pair.prompt();
        SplitModel parts =
                SplitModel.of(pair.file(), SETTINGS, BoundaryType.F32, device -> process.link());
        try (LoadedModel loaded = parts.load(SETTINGS, devices, cuts)) {
            Answer answer = Answer.to(prompt.prompt(), prompt.steps().size());
            answer.submit(loaded.engine());
            return answer.tokens();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "QWEN, cpu:0@process cpu:0 cpu:0",
        "QWEN, cpu:0 cpu:0@process cpu:0",
        "QWEN, cpu:0@process cpu:0@process cpu:0@process",
        "GEMMA, cpu:0@process cpu:0 cpu:0@process",
    })
    void tokensAreThoseOfTheWholeModel(Pair pair, String devices) throws Exception {
        assertArrayEquals(pair.whole(), ask(pair, List.of(devices.split(" ")), 1, 3));
    }
}

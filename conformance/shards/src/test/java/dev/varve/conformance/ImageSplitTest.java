package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.varve.platform.remote.BoundaryType;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.shard.image.LocalImageEncoder;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Images reach the layers of other processes: their rows the first ones, and positions all. */
class ImageSplitTest {
    private static final ModelSettings SETTINGS = Cpu.settings(512, 1, Cpu.F16);

    @TempDir static Path folder;
    @TempDir static Path installation;
    private static ListeningShard process;
    private static Path model;
    private static ImagePrompt prompt;
    private static int[] whole;

    @BeforeAll
    static void startProcess() throws Exception {
        model = folder.resolve("text.gguf");
        Files.copy(VisionGolden.model("text-qwen35"), model);
        try (LocalImageEncoder encoder = VisionGolden.encoder("qwen3vl")) {
            prompt =
                    ImagePrompt.read(
                            "text-qwen35--qwen3vl--two",
                            encoder.encoder(),
                            image ->
                                    encoder.encode(
                                            VisionGolden.pixels(image, encoder.encoder().input())));
        }
        process = ListeningShard.start(ShardProgram.install(folder, installation));
        whole = ask(List.of("cpu:0"));
    }

    @AfterAll
    static void endProcess() {
        if (process != null) {
            process.close();
        }
    }

    private static int[] ask(List<String> devices, int... cuts) throws Exception {
        SplitModel parts =
                SplitModel.of(model, SETTINGS, BoundaryType.F32, device -> process.link());
        try (LoadedModel loaded = parts.load(SETTINGS, devices, cuts)) {
            Answer answer = Answer.to(prompt.prompt(), prompt.steps().size());
            answer.submit(loaded.engine());
            return answer.tokens();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cpu:0@process cpu:0 cpu:0",
                "cpu:0 cpu:0@process cpu:0",
                "cpu:0@process cpu:0@process cpu:0@process"
            })
    void tokensAreThoseOfTheWholeModel(String devices) throws Exception {
        assertArrayEquals(whole, ask(List.of(devices.split(" ")), 1, 3));
    }
}

package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.remote.BoundaryType;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.sequence.CacheScope;
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

/** Prefixes with images that another split has left on disk. */
class ImageDiskTest {
    private static final String HERE = "cpu:0";
    private static final String THERE = "cpu:0@process";
    private static final int ANSWER = 24;

    @TempDir static Path folder;
    @TempDir static Path installation;
    private static ListeningShard process;

    @BeforeAll
    static void startProcess() throws Exception {
        process = ListeningShard.start(ShardProgram.install(folder, installation));
    }

    @AfterAll
    static void endProcess() {
        if (process != null) {
            process.close();
        }
    }

    private static GenerationRequest.Prompt prompt(String text, String projector)
            throws IOException {
        try (LocalImageEncoder encoder = VisionGolden.encoder(projector)) {
            return ImagePrompt.read(
                            text + "--" + projector + "--one",
                            encoder.encoder(),
                            image ->
                                    encoder.encode(
                                            VisionGolden.pixels(image, encoder.encoder().input())))
                    .prompt();
        }
    }

    /** Returns the prompt with a boundary behind the end mark of its image. */
    private static GenerationRequest.Prompt in(CacheScope scope, GenerationRequest.Prompt prompt) {
        int behind = prompt.images().end() + 1;
        return new GenerationRequest.Prompt(
                prompt.tokens(), new int[] {behind}, scope, prompt.images());
    }

    private static Answer ask(LoadedModel model, GenerationRequest.Prompt prompt) {
        Answer answer = Answer.to(prompt, ANSWER);
        answer.submit(model.engine());
        return answer;
    }

    @ParameterizedTest
    @CsvSource({"text-qwen35, qwen3vl", "text-gemma4, gemma4v-std"})
    void imagesComeBackFromDiskOnAnotherSplit(String text, String projector) throws Exception {
        Path file = Files.copy(VisionGolden.model(text), folder.resolve(text + ".gguf"));
        ModelSettings settings = CacheHits.withHost(CacheHits.settings(Cpu.F16));
        SplitModel split =
                SplitModel.of(file, settings, BoundaryType.F32, device -> process.link());
        GenerationRequest.Prompt prompt = prompt(text, projector);
        GenerationRequest.Prompt kept = in(new CacheScope("kept"), prompt);
        Path disk = Files.createDirectory(installation.resolve("disk of " + text));
        int[] cold;
        try (LoadedModel model =
                split.load(settings, Optional.of(CacheHits.disk(disk)), List.of(HERE))) {
            cold = ask(model, in(new CacheScope("cold"), prompt)).tokens();
            assertArrayEquals(cold, ask(model, kept).tokens());
        }

        for (List<String> devices : List.of(List.of(HERE, THERE, HERE), List.of(THERE))) {
            int[] cuts = devices.size() == 1 ? new int[0] : new int[] {1, 3};
            try (LoadedModel model =
                    split.load(settings, Optional.of(CacheHits.disk(disk)), devices, cuts)) {
                Answer restored = ask(model, kept);

                assertArrayEquals(cold, restored.tokens(), devices.toString());
                assertEquals(Optional.of(CacheSource.DISK), restored.end().cache().source());
                assertEquals(kept.images().end() + 1, restored.end().tokens().cached());
            }
        }
    }
}

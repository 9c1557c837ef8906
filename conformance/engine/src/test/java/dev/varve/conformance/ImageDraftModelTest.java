package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.speculation.SpeculationTarget;
import dev.varve.api.speculation.Speculator;
import dev.varve.api.vision.ImagePositions;
import dev.varve.platform.draft.DflashSpeculator;
import dev.varve.platform.draft.DflashSpeculator.DflashSettings;
import dev.varve.platform.draft.DflashSpeculator.WeightResidency;
import dev.varve.platform.draft.DraftFile;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.engine.SpeculationOptions;
import dev.varve.platform.mtp.MtpFile;
import dev.varve.platform.mtp.MtpSpeculator;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SpeculationRequirements;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.ImageRows;
import dev.varve.platform.shard.ImageSpan;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.SequenceImages;
import dev.varve.testkit.DflashModel;
import dev.varve.testkit.TestSeed;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.function.IntUnaryOperator;

/** Draft models that read the hidden states of images draft behind them, and change no token. */
@Timeout(300)
class ImageDraftModelTest {
    private static final int CONTEXT = 400;
    private static final int MOST = 4;
    private static final int ANSWER = 24;
    private static final ModelOptions OPTIONS = ModelOptions.defaults();
    private static final SpeculationTarget.Limits LIMITS =
            new SpeculationTarget.Limits(CONTEXT, 2, MOST);
    private static final DflashSettings SETTINGS =
            new DflashSettings(WeightResidency.PERSISTENT, FlashAttention.AUTO);

    @TempDir static Path folder;

    private enum Kind {
        MTP {
            @Override
            Path model() throws IOException {
                return MtpModels.DENSE.write(folder);
            }

            @Override
            Drafts open(Path model) {
                OpenedModel target = Cpu.open(model, OPTIONS);
                GgufFile file = GgufFile.open(model);
                return Drafts.of(MtpFile.of(file, Cpu.family(file), target, OPTIONS));
            }
        },
        ASSISTANT {
            @Override
            Path model() throws IOException {
                return AssistantModels.SHARED_ROWS.write(folder);
            }

            @Override
            Drafts open(Path model) throws IOException {
                return Drafts.of(AssistantModels.SHARED_ROWS.block(folder));
            }
        },
        DFLASH {
            @Override
            Path model() throws IOException {
                return MtpModels.DENSE.write(folder);
            }

            @Override
            Drafts open(Path model) throws IOException {
                return Drafts.network(model);
            }
        },
        DFLASH_OF_GEMMA {
            @Override
            Path model() throws IOException {
                return AssistantModels.SHARED_ROWS.write(folder);
            }

            @Override
            Drafts open(Path model) throws IOException {
                return Drafts.network(model);
            }
        };

        abstract Path model() throws IOException;

        abstract Drafts open(Path model) throws IOException;

        ImagePositions positions() {
            return this == MTP || this == DFLASH ? ImagePositions.GRID : ImagePositions.LINE;
        }
    }

    /** A speculator and the layers that it reads. */
    private record Drafts(Speculator speculator, List<Integer> captures) {
        static Drafts of(MtpFile block) {
            return new Drafts(
                    MtpSpeculator.open(block, LIMITS, Cpu.device(), SETTINGS), block.captures());
        }

        static Drafts network(Path model) throws IOException {
            OpenedModel target = Cpu.open(model, OPTIONS);
            int layers = target.shape().layerCount();
            DflashModel network =
                    DflashModel.tiny(
                                    new DflashModel.Target(
                                            target.shape().embeddingLength(),
                                            target.shape().vocabularySize()))
                            .seeing(List.of(0, layers / 2, layers));
            DraftFile file =
                    DraftFile.of(
                            GgufFile.open(network.write(folder)),
                            GgufFile.open(model),
                            target.shape());
            return new Drafts(
                    DflashSpeculator.open(file, LIMITS, Cpu.device(), SETTINGS), file.captures());
        }
    }

    private static ModelSettings settings() {
        ModelSettings settings = Cpu.settings(CONTEXT, 2, Cpu.F16);
        return settings.with(settings.computation().with(BatchInvariance.ON));
    }

    /** Text, an image, text, two images beside each other, and a short question. */
    private static GenerationRequest.Prompt prompt(Path model, ImagePositions positions) {
        List<ImageSpan> spans =
                List.of(
                        new ImageSpan(30, 6, 4, positions),
                        new ImageSpan(70, 3, 3, positions),
                        new ImageSpan(79, 2, 8, positions));
        OpenedModel opened = Cpu.open(model, OPTIONS);
        int width = opened.shape().embeddingLength();
        int vocabulary = opened.shape().vocabularySize();
        Random random = new Random(TestSeed.of(9));
        List<ImageRows> rows =
                spans.stream()
                        .map(span -> ImageRows.all(numbers(span.tokens() * width, random)))
                        .toList();
        SequenceImages images = new SequenceImages(spans, rows);
        IntUnaryOperator token =
                i -> images.covers(i) ? Integer.MIN_VALUE + i : 3 + random.nextInt(vocabulary / 2);
        int[] tokens = new int[103];
        for (int i = 0; i < tokens.length; i++) {
            tokens[i] = token.applyAsInt(i);
        }
        return GenerationRequest.Prompt.of(tokens).with(images);
    }

    private static float[] numbers(int count, Random random) {
        float[] numbers = new float[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = (float) random.nextGaussian();
        }
        return numbers;
    }

    private static Answer ask(LoadedModel model, GenerationRequest.Prompt prompt) {
        Answer answer = Answer.to(prompt, ANSWER);
        answer.submit(model.engine());
        return answer;
    }

    @ParameterizedTest
    @CsvSource({"MTP, 0", "MTP, 2", "ASSISTANT, 0", "DFLASH, 2", "DFLASH_OF_GEMMA, 0"})
    void draftsBehindImagesChangeNoToken(Kind kind, int cut) throws Exception {
        Path file = kind.model();
        GenerationRequest.Prompt prompt = prompt(file, kind.positions());
        int[] plain;
        try (LoadedModel model = Cpu.load(file, settings())) {
            plain = ask(model, prompt).tokens();
        }
        Drafts drafts = kind.open(file);
        SpeculationOptions options =
                new SpeculationOptions(drafts.speculator(), MOST, OptionalInt.of(MOST));
        try (LoadedModel model =
                Cpu.load(
                        file,
                        settings().with(new SpeculationRequirements(MOST, drafts.captures())),
                        new LoadedModel.EngineComponents(Optional.empty(), Optional.of(options)),
                        cut == 0 ? new int[0] : new int[] {cut})) {
            // The second one begins with the cached states of the first one.
            for (int time = 0; time < 2; time++) {
                Answer answer = ask(model, prompt);

                assertArrayEquals(plain, answer.tokens(), "time " + time);
                assertTrue(
                        answer.end().speculation().drafted() > ANSWER / 2,
                        "time " + time + ": " + answer.end());
            }
        }
    }
}

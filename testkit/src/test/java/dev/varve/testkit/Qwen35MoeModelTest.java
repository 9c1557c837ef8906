package dev.varve.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;

class Qwen35MoeModelTest {
    private static final Qwen35MoeModel TINY = Qwen35MoeModel.tiny();

    @TempDir Path folder;

    static LongStream seeds() {
        return LongStream.range(0, Effort.of(1, 16));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void randomModelsLoadAndGiveReasonableLogits(long seed) throws IOException {
        Qwen35MoeModel model = Qwen35MoeModel.odd(seed);

        ModelChecks.assertWellBehaved(
                model.write(folder), model.size().vocabulary(), model.randomTokens(70, seed));
    }

    @Test
    void sixteenSeedsCoverEveryForm() {
        List<Qwen35MoeModel> models =
                LongStream.range(0, 16).mapToObj(Qwen35MoeModel::odd).toList();

        assertEquals(3, models.stream().map(model -> model.experts().lengths()).distinct().count());
        assertEquals(
                2, models.stream().map(model -> model.experts().fusedGateUp()).distinct().count());
        assertEquals(
                2,
                models.stream()
                        .map(model -> model.dense().plan().nextnBlocks())
                        .distinct()
                        .count());
        assertEquals(
                2, models.stream().map(model -> model.weights().tiedHead()).distinct().count());
    }

    @Test
    @Tag("nightly")
    void equalDescriptionsGiveEqualFiles() throws IOException {
        Path first = Qwen35MoeModel.odd(9).write(folder.resolve("a"));
        Path second = folder.resolve("b.gguf");
        Qwen35MoeModel.odd(9).writer().write(second);

        assertEquals(-1, Files.mismatch(first, second));
        assertNotEquals(
                first.getFileName(),
                Qwen35MoeModel.odd(9).withSeed(3).write(folder.resolve("a")).getFileName());
    }

    @Test
    void lengthsMayComeFromTheFeedForwardLength() throws IOException {
        Qwen35MoeModel named = lengths(Qwen35MoeModel.Lengths.EXPERTS_ONLY);

        assertSame(named, lengths(Qwen35MoeModel.Lengths.DERIVED));
        assertSame(named, lengths(Qwen35MoeModel.Lengths.ZERO_FEED_FORWARD));
    }

    @Test
    void derivedLengthThatDiffersFromTheExpertsIsRefused() {
        var experts = new Qwen35MoeModel.Experts(10, 3, 64, false, Qwen35MoeModel.Lengths.DERIVED);

        assertThrows(IllegalArgumentException.class, () -> TINY.withExperts(experts));
    }

    @Test
    void fusedMatricesAreRead() throws IOException {
        var experts =
                new Qwen35MoeModel.Experts(10, 3, 64, true, Qwen35MoeModel.Lengths.EXPERTS_ONLY);

        ModelChecks.assertDiffer(
                TINY.write(folder),
                TINY.withExperts(experts).write(folder),
                TINY.randomTokens(40, 1));
    }

    @Test
    @Tag("nightly")
    void fewerActiveExpertsChangeTheLogits() throws IOException {
        var experts =
                new Qwen35MoeModel.Experts(10, 2, 64, false, Qwen35MoeModel.Lengths.EXPERTS_ONLY);

        ModelChecks.assertDiffer(
                TINY.write(folder),
                TINY.withExperts(experts).write(folder),
                TINY.randomTokens(40, 1));
    }

    @Test
    void mtpBlockDoesNotChangeTheBackbone() throws IOException {
        assertSame(TINY, TINY.withPlan(new Qwen35Model.LayerPlan(4, List.of(), 1)));
    }

    /** Scaled matrices hold four times the values, and their scales are a quarter. */
    @Test
    @Tag("nightly")
    void scalesUndoLargerMatrices() throws IOException {
        int[] tokens = TINY.randomTokens(40, 1);
        Qwen35MoeModel scaled =
                TINY.withWeights(new Qwen35Model.Weights(TensorType.F32, true, true, false, 1));

        Comparison.assertGradeC(
                "scales",
                ModelChecks.logits(TINY.write(folder), tokens),
                ModelChecks.logits(scaled.write(folder), tokens),
                1e-4);
    }

    @Test
    @Tag("nightly")
    void patternedExpertsWork() throws IOException {
        Qwen35MoeModel model =
                TINY.withWeights(new Qwen35Model.Weights(TensorType.Q4_0, true, false, true, 1));

        ModelChecks.assertWellBehaved(
                model.write(folder), model.size().vocabulary(), model.randomTokens(70, 1));
    }

    private static Qwen35MoeModel lengths(Qwen35MoeModel.Lengths lengths) {
        Qwen35Model dense =
                Qwen35Model.tiny().withSize(new Qwen35Model.Size(4, 128, 192, 320, 4096));
        return new Qwen35MoeModel(dense, new Qwen35MoeModel.Experts(10, 3, 64, false, lengths));
    }

    private void assertSame(Qwen35MoeModel first, Qwen35MoeModel second) throws IOException {
        int[] tokens = first.randomTokens(40, 1);

        assertNotEquals(first.write(folder), second.write(folder));
        assertArrayEquals(
                ModelChecks.logits(first.write(folder), tokens),
                ModelChecks.logits(second.write(folder), tokens));
    }
}

package dev.varve.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

class Qwen3ModelTest {
    private static final Qwen3Model TINY = Qwen3Model.tiny();

    @TempDir Path folder;

    static LongStream seeds() {
        return LongStream.range(0, Effort.of(1, 12));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void randomModelsLoadAndGiveReasonableLogits(long seed) throws IOException {
        Qwen3Model model = Qwen3Model.odd(seed);

        ModelChecks.assertWellBehaved(
                model.write(folder), model.size().vocabulary(), model.randomTokens(70, seed));
    }

    @Test
    void twelveSeedsCoverEveryForm() {
        List<Qwen3Model> models = LongStream.range(0, 12).mapToObj(Qwen3Model::odd).toList();

        assertForms(2, models.stream().map(model -> model.attention().fusedQkv()));
        assertForms(2, models.stream().map(model -> model.attention().biases()));
        assertForms(2, models.stream().map(model -> model.weights().tiedHead()));
        assertForms(3, models.stream().map(model -> model.scaling().getClass()));
        assertForms(6, models.stream().map(model -> model.weights().type()));
    }

    private static void assertForms(int expected, Stream<?> forms) {
        assertEquals(expected, forms.distinct().count());
    }

    @Test
    void equalDescriptionsGiveEqualFiles() throws IOException {
        Path first = Qwen3Model.odd(9).write(folder.resolve("a"));
        Path second = folder.resolve("b.gguf");
        Qwen3Model.odd(9).writer().write(second);

        assertEquals(-1, Files.mismatch(first, second));
        assertNotEquals(
                first.getFileName(),
                Qwen3Model.odd(9).withSeed(3).write(folder.resolve("a")).getFileName());
    }

    /** Each differs from the tiny model in one value that libllama must have read. */
    static Stream<Qwen3Model> variants() {
        return Stream.of(
                TINY.withTiedHead(false),
                TINY.withSeed(2),
                TINY.withType(TensorType.Q4_0),
                TINY.withAttention(new Qwen3Model.Attention(4, 1, 64, false, false)),
                TINY.withAttention(new Qwen3Model.Attention(4, 2, 64, true, false)),
                TINY.withAttention(new Qwen3Model.Attention(4, 2, 64, false, true)),
                TINY.withScaling(new Qwen3Model.Scaling.Linear(4)),
                TINY.withScaling(new Qwen3Model.Scaling.Yarn(4, 64)),
                TINY.withScaling(new Qwen3Model.Scaling.Yarn(4, 256)));
    }

    @ParameterizedTest
    @MethodSource("variants")
    @ByDay({2, 8})
    void everyMetadataValueMatters(Qwen3Model variant) throws IOException {
        ModelChecks.assertDiffer(
                TINY.write(folder), variant.write(folder), TINY.randomTokens(150, 1));
    }

    @Test
    void modelWithoutHeadNormsIsWellBehavedToo() throws IOException {
        Internlm2Model model = Internlm2Model.tiny();

        ModelChecks.assertWellBehaved(
                model.write(folder), model.size().vocabulary(), model.randomTokens(70, 1));
    }

    @Test
    void headsThatCannotBeSharedAreRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> new Qwen3Model.Attention(6, 4, 32, false, false));
    }
}

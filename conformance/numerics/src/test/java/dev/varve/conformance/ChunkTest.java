package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.conformance.RandomModel.Family;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Comparison;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

import java.nio.file.Path;

/** The cuts of a prompt change no number: q8_0 rows do not depend on their neighbours. */
class ChunkTest {
    @TempDir Path folder;

    @ParameterizedTest
    @SomeFamilies(first = 1, plain = true)
    @ByDay(1)
    void chunksOfAnyLengthGiveTheSameRows(Family family) throws Exception {
        RandomModel spec = family.odd(family.quantisableSeed(), TensorType.Q4_0);
        Path file = spec.write(folder);
        // The last chunk has several tokens whatever the length: a single one takes another path
        // through matrices of floats.
        int[] tokens = spec.tokens(1402, 11);
        float[][] expected = Cpu.logitsInChunks(file, tokens, Cpu.Q8_0, 64);

        int[] chunks = {7, 30, 100, 255};
        for (int each = 0; each < chunks.length; each++) {
            if (!Thorough.tries(2, family.ordinal(), each)) {
                continue;
            }
            int chunk = chunks[each];
            assertEquals(
                    0,
                    Comparison.worstRelativeL2(
                            expected, Cpu.logitsInChunks(file, tokens, Cpu.Q8_0, chunk)),
                    spec + ", chunks of " + chunk);
        }
    }
}

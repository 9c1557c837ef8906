package dev.varve.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.host.DeviceSettings;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.host.ShardProcessSettings;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.testkit.Comparison;
import dev.varve.testkit.LargeModel;
import dev.varve.testkit.Oracle;
import dev.varve.testkit.OracleOptions;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.util.Arrays;

class LargeModelTest {
    /** Columns with activations in 8 bits on both sides, over four layers. */
    private static final double BOUND = 0.04;

    @TempDir Path folder;

    @ParameterizedTest
    @EnumSource(names = {"Q4_K", "Q8_0"})
    void varveAndLibllamaReadTheFileAlike(TensorType type) throws Exception {
        Path file = folder.resolve("model.gguf");
        LargeModel.TINY.write(file, type);
        int[] tokens = {3, 141, 59, 26, 5, 358, 97, 93};
        float[][] found = new float[tokens.length][];
        try (HostedModel model =
                        HostedModel.open(
                                new HostSettings(
                                        file,
                                        ModelSettings.single(256),
                                        DeviceSettings.best().withThreads(1),
                                        BenchPlugins.settings(file),
                                        ShardProcessSettings.none()));
                Oracle oracle =
                        Oracle.open(
                                file, OracleOptions.defaults().withContext(256).withThreads(1))) {
            model.logits(
                    tokens,
                    (values, rows, vocabulary) -> {
                        for (int row = 0; row < rows; row++) {
                            found[row] =
                                    Arrays.copyOfRange(
                                            values, row * vocabulary, (row + 1) * vocabulary);
                        }
                    });

            float[][] expected = oracle.logits(tokens);

            assertEquals(512, expected[0].length);
            double error = Comparison.worstRelativeL2(expected, found);
            assertTrue(error <= BOUND, "relative L2 error " + error);
        }
    }
}

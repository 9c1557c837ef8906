package dev.varve.plugin.cpu;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.ggml.Tensor;

import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;

/** A processor whose own kernels are tested. */
final class OwnKernels {
    private OwnKernels() {}

    /** Opens it, or skips the test where it has none. */
    static ComputeDevice open(Path cache, int threads) {
        Path natives = Path.of(System.getProperty("varve.test.natives"));
        ComputeDevice device =
                new CpuBackendProvider()
                        .open(new BackendOptions(cache, Optional.of(natives), false))
                        .open(
                                0,
                                new DeviceOptions(
                                        OptionalInt.of(threads), OptionalInt.empty(), false));
        Set<String> features = device.ggmlDevice().features().keySet();
        assumeTrue(
                features.contains("AVX2") && features.contains("F16C") && features.contains("FMA"),
                "the kernels need AVX2 or AVX-512");
        return device;
    }

    static float[] fill(Tensor tensor, long seed, double least, double most) {
        SplittableRandom random = new SplittableRandom(seed);
        float[] values = new float[(int) tensor.elements()];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) random.nextDouble(least, most);
        }
        tensor.write(values, 0, values.length, 0);
        return values;
    }
}

package dev.varve.plugin.cpu;

import dev.varve.api.ggml.Tensor;

import java.util.SplittableRandom;

/** Numbers of very different sizes, for comparing kernels. */
final class Samples {
    private final SplittableRandom random;

    Samples(long seed) {
        random = new SplittableRandom(seed);
    }

    /** Fills a tensor with numbers of a range, most of which are near 0. */
    void fill(Tensor tensor, double least, double most) {
        float[] values = new float[Math.toIntExact(tensor.elements())];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) Math.scalb(random.nextDouble(least, most), -random.nextInt(12));
        }
        tensor.write(values, 0, values.length, 0);
    }

    static int[] bits(Tensor tensor) {
        int[] bits = new int[Math.toIntExact(tensor.elements())];
        tensor.readBits(bits, 0, bits.length, 0);
        return bits;
    }
}

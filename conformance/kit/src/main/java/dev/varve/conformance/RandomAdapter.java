package dev.varve.conformance;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.TensorData;
import dev.varve.testkit.TensorType;
import dev.varve.testkit.TestSeed;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/**
 * A LoRA adapter of random values for a model file, as llama.cpp's converter writes one.
 *
 * @param model the file whose weights it changes
 * @param type element type of its matrices
 * @param rank columns of the first matrix
 * @param alpha the file's {@code adapter.lora.alpha}
 */
record RandomAdapter(Path model, TensorType type, int rank, float alpha) {
    private static final String TABLE = "token_embd.weight";

    /** Deviation of products of both matrices, for inputs of unit size. */
    private static final double DEVIATION = 0.3;

    /** Writes an adapter for the projections of attention, the experts and the head of a model. */
    static Path write(Path model, Path file, long seed) throws IOException {
        return new RandomAdapter(model, TensorType.F16, 4, 8)
                .write(file, seed, each -> each.matches("(blk.*(attn_[qkv]|_exps)|output).weight"));
    }

    /**
     * Writes the file.
     *
     * @param weights names of the weights that it changes
     */
    Path write(Path file, long seed, Predicate<String> weights) throws IOException {
        GgufFile base = GgufFile.open(model);
        GgufWriter writer = new GgufWriter();
        writer.put("general.type", GgufValue.of("adapter"));
        writer.put("general.architecture", GgufValue.of(base.architecture()));
        writer.put("adapter.type", GgufValue.of("lora"));
        writer.put("adapter.lora.alpha", GgufValue.of(alpha));
        for (GgufTensor weight : base.tensors()) {
            if (weights.test(weight.name())) {
                add(writer, weight, TestSeed.of(seed));
            }
        }
        writer.write(file);
        return file;
    }

    private void add(GgufWriter writer, GgufTensor weight, long seed) {
        long in = weight.ne(0);
        long out = weight.ne(1);
        if (weight.name().equals(TABLE)) {
            add(writer, weight.name() + ".lora_a", List.of((long) rank, out), 1, seed);
            add(writer, weight.name() + ".lora_b", List.of((long) rank, in), rank, seed);
            return;
        }
        boolean experts = weight.dimensions().size() > 2;
        List<Long> first = List.of(in, (long) rank);
        List<Long> second = List.of((long) rank, out);
        add(
                writer,
                weight.name() + ".lora_a",
                experts ? List.of(in, (long) rank, weight.ne(2)) : first,
                in,
                seed);
        add(
                writer,
                weight.name() + ".lora_b",
                experts ? List.of((long) rank, out, weight.ne(2)) : second,
                rank,
                seed);
    }

    private void add(GgufWriter writer, String name, List<Long> shape, long summed, long seed) {
        double deviation = Math.sqrt(DEVIATION / summed);
        writer.tensor(
                name,
                type,
                shape,
                new TensorData.Floats(
                        (row, values) -> {
                            SplittableRandom random =
                                    new SplittableRandom(seed * 31 + name.hashCode() * 7919L + row);
                            for (int i = 0; i < values.length; i++) {
                                values[i] = (float) (deviation * random.nextGaussian());
                            }
                        }));
    }
}

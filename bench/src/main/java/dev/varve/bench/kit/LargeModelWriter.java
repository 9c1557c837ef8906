package dev.varve.bench.kit;

import dev.varve.testkit.LargeModel;
import dev.varve.testkit.TensorType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Writes a random model in the shape of a released one.
 *
 * <pre>
 * LargeModelWriter 0.8B|0.8B-MTP|4B|27B|3B-A0.2B|35B-A3B Q4_K|Q8_0 FILE
 * </pre>
 */
public final class LargeModelWriter {
    private LargeModelWriter() {}

    /** Writes the model, and prints its size and the speed. */
    public static void main(String... arguments) throws IOException {
        if (arguments.length != 3) {
            System.err.println(
                    "usage: LargeModelWriter 0.8B|0.8B-MTP|4B|27B|3B-A0.2B|35B-A3B TYPE FILE");
            System.exit(2);
        }
        LargeModel model = LargeModel.parse(arguments[0]);
        Path file = Path.of(arguments[2]);
        long begin = System.nanoTime();
        model.write(file, TensorType.parse(arguments[1]));
        double seconds = (System.nanoTime() - begin) / 1e9;
        System.out.printf(
                Locale.ROOT,
                "%s %s: %.2f GB written in %.1f s, %.2f GB/s%n",
                model.label(),
                arguments[1],
                Files.size(file) / 1e9,
                seconds,
                Files.size(file) / 1e9 / seconds);
    }
}

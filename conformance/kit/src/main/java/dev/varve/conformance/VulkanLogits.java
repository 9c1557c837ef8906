package dev.varve.conformance;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.ggml.GgmlType;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.FlashAttention;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Logits from a process of its own, see {@link OwnProcess}. */
final class VulkanLogits {
    private static final int CONTEXT = 512;

    private VulkanLogits() {}

    /** Settings of the process: F32 throughout the cache. */
    static ModelSettings settings(FlashAttention flash) {
        return Cpu.with(
                Cpu.settings(CONTEXT, 1, new CacheTypes(GgmlType.F32, GgmlType.F32)), flash);
    }

    /** Runs in the process: file, target, settings, devices, cuts, tokens. */
    public static void main(String[] arguments) throws IOException {
        ModelSettings settings = settings(FlashAttention.valueOf(arguments[2]));
        List<ComputeDevice> devices = new ArrayList<>();
        for (String name : arguments[3].split(",")) {
            devices.add(name.startsWith("cpu") ? Cpu.device() : Vulkan.device());
        }
        float[][] rows;
        try (LoadedModel model =
                Vulkan.load(Path.of(arguments[0]), settings, devices, integers(arguments[4]))) {
            rows = Cpu.logits(model, integers(arguments[5]));
        }
        write(Path.of(arguments[1]), rows);
    }

    /** Writes rows for the process that started this one. */
    static void write(Path target, float[][] rows) throws IOException {
        ByteBuffer bytes =
                ByteBuffer.allocate(2 * Integer.BYTES + rows.length * rows[0].length * Float.BYTES);
        bytes.putInt(rows.length).putInt(rows[0].length);
        for (float[] row : rows) {
            for (float value : row) {
                bytes.putFloat(value);
            }
        }
        Files.write(target, bytes.array());
    }

    static int[] integers(String text) {
        return text.isEmpty()
                ? new int[0]
                : Arrays.stream(text.split(",")).mapToInt(Integer::parseInt).toArray();
    }

    static String text(int[] values) {
        return Arrays.stream(values).mapToObj(String::valueOf).collect(Collectors.joining(","));
    }

    /** Starts the process and reads what it wrote. */
    static float[][] compute(
            Path file, int[] tokens, String settings, List<String> devices, int... cuts) {
        return launch(
                VulkanLogits.class,
                file,
                List.of(settings, String.join(",", devices), text(cuts), text(tokens)));
    }

    /**
     * Starts a process and reads what it wrote.
     *
     * @param main gets the model file, the file to write to, and then {@code arguments}
     */
    static float[][] launch(Class<?> main, Path file, List<String> arguments) {
        try {
            Path target = Files.createTempFile(file.getParent(), "logits", ".bin");
            List<String> all = new ArrayList<>(List.of(file.toString(), target.toString()));
            all.addAll(arguments);
            OwnProcess.run(main, file.getParent(), all);
            ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(target));
            float[][] rows = new float[bytes.getInt()][bytes.getInt()];
            for (float[] row : rows) {
                for (int i = 0; i < row.length; i++) {
                    row[i] = bytes.getFloat();
                }
            }
            return rows;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

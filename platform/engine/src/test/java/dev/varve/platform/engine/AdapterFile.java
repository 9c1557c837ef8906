package dev.varve.platform.engine;

import dev.varve.api.gguf.GgufFile;
import dev.varve.platform.shard.lora.AdapterChange;
import dev.varve.platform.shard.lora.LoraAdapter;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.TensorData;
import dev.varve.testkit.TensorType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

/** An adapter for tests whose shards do not read it. */
public final class AdapterFile {
    private AdapterFile() {}

    /** Writes a small adapter and returns the change that adds it. */
    public static AdapterChange.Add add(Path folder, int number) {
        Path file = folder.resolve("lora.gguf");
        GgufWriter writer = new GgufWriter();
        writer.put("general.type", GgufValue.of("adapter"));
        writer.put("general.architecture", GgufValue.of("plain"));
        writer.put("adapter.type", GgufValue.of("lora"));
        for (String matrix : List.of("a.lora_a", "a.lora_b")) {
            writer.tensor(matrix, TensorType.F32, List.of(1L, 1L), TensorData.constant(1));
        }
        try {
            writer.write(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new AdapterChange.Add(number, LoraAdapter.of(GgufFile.open(file), 0));
    }
}

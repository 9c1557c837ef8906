package dev.varve.platform.sampling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufMetadata;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Values that files recommend, read from files written byte by byte. */
class FileSamplingTest {
    @TempDir private Path folder;
    private final List<String> warnings = new ArrayList<>();

    private GgufMetadata file(Map<String, Object> values) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes("GGUF".getBytes(StandardCharsets.US_ASCII));
        out.writeBytes(little(20).putInt(3).putLong(0).putLong(values.size()).array());
        values.forEach(
                (key, value) -> {
                    text(out, key);
                    switch (value) {
                        case Float number ->
                                out.writeBytes(little(8).putInt(6).putFloat(number).array());
                        case Integer number ->
                                out.writeBytes(little(8).putInt(5).putInt(number).array());
                        default -> {
                            out.writeBytes(little(4).putInt(8).array());
                            text(out, value.toString());
                        }
                    }
                });
        while (out.size() % 32 != 0) {
            out.write(0);
        }
        return GgufFile.open(Files.write(folder.resolve("model.gguf"), out.toByteArray()))
                .metadata();
    }

    private static void text(ByteArrayOutputStream out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeBytes(little(8).putLong(bytes.length).array());
        out.writeBytes(bytes);
    }

    private static ByteBuffer little(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static Map<String, Object> values(Object... pairs) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            values.put("general.sampling." + pairs[i], pairs[i + 1]);
        }
        return values;
    }

    @Test
    void readsTheKeysOfTheFormat() throws IOException {
        SamplingValues read =
                FileSampling.read(
                        file(
                                values(
                                        "temp",
                                        0.6f,
                                        "top_k",
                                        20,
                                        "top_p",
                                        0.95f,
                                        "min_p",
                                        0f,
                                        "penalty_repeat",
                                        1.05f,
                                        "penalty_last_n",
                                        64)),
                        warnings::add);

        assertEquals(
                SamplingValues.NONE
                        .with(SamplingParameter.TEMPERATURE, 0.6)
                        .with(SamplingParameter.TOP_K, 20)
                        .with(SamplingParameter.TOP_P, 0.95)
                        .with(SamplingParameter.MIN_P, 0)
                        .with(SamplingParameter.REPEAT_PENALTY, 1.05)
                        .with(SamplingParameter.REPEAT_LAST_N, 64),
                read);
        assertEquals(0.95, read.get(SamplingParameter.TOP_P));
        assertEquals(List.of(), warnings);
    }

    @Test
    void aFileWithoutValuesSetsNothing() throws IOException {
        assertTrue(FileSampling.read(file(Map.of()), warnings::add).isEmpty());
    }

    @Test
    void wrongValuesAreIgnoredWithAWarning() throws IOException {
        SamplingValues read =
                FileSampling.read(
                        file(values("temp", -1f, "top_p", "much", "top_k", 1.5f, "min_p", 0.1f)),
                        warnings::add);

        assertEquals(SamplingValues.NONE.with(SamplingParameter.MIN_P, 0.1), read);
        assertEquals(3, warnings.size(), warnings::toString);
        assertTrue(
                warnings.getFirst()
                        .startsWith(
                                "general.sampling.temp: expected a number from 0 to 100, found"
                                        + " -1;"),
                warnings::toString);
    }

    @Test
    void aSequenceLeavesOutTheSamplersThatItDoesNotName() throws IOException {
        SamplingValues read =
                FileSampling.read(
                        file(
                                values(
                                        "sequence",
                                        "top_k;temperature",
                                        "temp",
                                        0.5f,
                                        "top_k",
                                        20,
                                        "top_p",
                                        0.9f)),
                        warnings::add);

        assertEquals(
                SamplingValues.NONE
                        .with(SamplingParameter.TEMPERATURE, 0.5)
                        .with(SamplingParameter.TOP_K, 20),
                read);
        assertEquals(List.of(), warnings);
    }

    @Test
    void aSequenceInAnotherOrderIsAWarning() throws IOException {
        FileSampling.read(file(values("sequence", "min_p;top_k")), warnings::add);

        assertEquals(
                List.of(
                        "general.sampling.sequence: the server applies samplers in the order"
                                + " top_k;min_p, found min_p;top_k"),
                warnings);
    }
}

package dev.varve.conformance;

import dev.varve.api.ggml.GgmlType;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.TensorData;
import dev.varve.testkit.TensorType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ShortBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A copy of a model whose F16 matrices have another type. */
final class Requantised {
    /** File types of whole models by the type of their matrices. */
    private static final String FILE_TYPE = "general.file_type";

    private Requantised() {}

    /**
     * Writes the copy; rows that are no whole number of blocks get the type that replaces it.
     *
     * @return {@code target}
     */
    static Path write(Path source, TensorType type, Path target) throws IOException {
        GgufFile file = GgufFile.open(source);
        GgufWriter writer = new GgufWriter();
        for (String key : file.metadata().keys()) {
            if (!key.equals(FILE_TYPE)) {
                writer.put(key, value(file.metadata().find(key).orElseThrow()));
            }
        }
        for (GgufTensor tensor : file.tensors()) {
            ByteBuffer bytes = read(tensor);
            if (tensor.type() == GgmlType.F16) {
                writer.tensor(
                        tensor.name(),
                        type.orFallbackFor(tensor.ne(0)),
                        tensor.dimensions(),
                        TensorData.floats(floats(bytes.asShortBuffer())));
            } else {
                writer.tensor(
                        tensor.name(),
                        TensorType.valueOf(tensor.type().name()),
                        tensor.dimensions(),
                        TensorData.bytes(bytes.array()));
            }
        }
        writer.write(target);
        return target;
    }

    private static ByteBuffer read(GgufTensor tensor) throws IOException {
        ByteBuffer bytes =
                ByteBuffer.allocate(Math.toIntExact(tensor.bytes())).order(ByteOrder.LITTLE_ENDIAN);
        try (FileChannel channel = FileChannel.open(tensor.file())) {
            while (bytes.hasRemaining()) {
                if (channel.read(bytes, tensor.offset() + bytes.position()) < 0) {
                    throw new IOException(tensor.name() + " ends early");
                }
            }
        }
        return bytes.flip();
    }

    private static float[] floats(ShortBuffer halves) {
        float[] values = new float[halves.remaining()];
        for (int i = 0; i < values.length; i++) {
            values[i] = Float.float16ToFloat(halves.get(i));
        }
        return values;
    }

    /** The value as the kit writes it, of the same type. */
    private static GgufValue value(dev.varve.api.gguf.GgufValue value) {
        return switch (value) {
            case dev.varve.api.gguf.GgufValue.Text text -> GgufValue.of(text.value());
            case dev.varve.api.gguf.GgufValue.Bool bool -> GgufValue.of(bool.value());
            case dev.varve.api.gguf.GgufValue.Whole whole -> whole(whole.typeName(), whole.value());
            case dev.varve.api.gguf.GgufValue.Real real -> real(real.typeName(), real.value());
            case dev.varve.api.gguf.GgufValue.Texts texts -> {
                List<String> elements = new ArrayList<>();
                for (int i = 0; i < texts.size(); i++) {
                    elements.add(new String(texts.get(i), java.nio.charset.StandardCharsets.UTF_8));
                }
                yield GgufValue.texts(elements);
            }
            case dev.varve.api.gguf.GgufValue.Wholes wholes ->
                    wholes(wholes.elementType(), wholes.values());
            case dev.varve.api.gguf.GgufValue.SmallWholes small ->
                    wholes(
                            small.elementType(),
                            java.util.Arrays.stream(small.values()).asLongStream().toArray());
            case dev.varve.api.gguf.GgufValue.Reals reals -> {
                List<GgufValue> elements = new ArrayList<>();
                for (double each : reals.values()) {
                    elements.add(real(reals.elementType(), each));
                }
                yield new GgufValue.Array(elements.getFirst().typeId(), elements);
            }
        };
    }

    private static GgufValue wholes(String type, long[] values) {
        List<GgufValue> elements = new ArrayList<>();
        for (long each : values) {
            elements.add(type.equals("bool") ? GgufValue.of(each != 0) : whole(type, each));
        }
        return new GgufValue.Array(elements.getFirst().typeId(), elements);
    }

    private static GgufValue whole(String type, long value) {
        return switch (type) {
            case "u8" -> new GgufValue.U8((int) value);
            case "i8" -> new GgufValue.I8((int) value);
            case "u16" -> new GgufValue.U16((int) value);
            case "i16" -> new GgufValue.I16((int) value);
            case "u32" -> new GgufValue.U32(value);
            case "i32" -> new GgufValue.I32((int) value);
            case "u64" -> new GgufValue.U64(value);
            case "i64" -> new GgufValue.I64(value);
            default -> throw new IllegalArgumentException("no integer: " + type);
        };
    }

    private static GgufValue real(String type, double value) {
        return type.equals("f32") ? new GgufValue.F32((float) value) : new GgufValue.F64(value);
    }
}

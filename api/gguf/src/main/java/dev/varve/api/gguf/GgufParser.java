package dev.varve.api.gguf;

import dev.varve.api.ggml.GgmlType;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Parser of one GGUF file, versions 2 and 3, little-endian.
 *
 * <pre>
 * u32 magic "GGUF", u32 version, u64 tensors, u64 pairs
 * pair:   string key, u32 type, value          string: u64 length, bytes
 * array:  u32 element type, u64 count, elements
 * tensor: string name, u32 dimensions, u64 extent each, u32 ggml type, u64 offset
 * data:   from the next multiple of general.alignment (32 if absent); offsets count from there
 * </pre>
 */
final class GgufParser {
    /** Content of a parsed file. */
    record Parsed(int version, GgufMetadata metadata, List<GgufTensor> tensors) {}

    private static final int MAGIC = 0x46554747;
    private static final int MAX_KEY = 65535;
    private static final int MAX_NAME = 63;
    private static final int MAX_TENSORS = 1 << 15;
    private static final int MAX_PAIRS = 1 << 14;
    private static final int MAX_DIMENSIONS = 4;
    private static final int MIN_PAIR = 13;
    private static final int MIN_TENSOR = 32;
    private static final String ALIGNMENT = "general.alignment";

    private static final String[] TYPE_NAMES = {
        "u8", "i8", "u16", "i16", "u32", "i32", "f32", "bool", "string", "array", "u64", "i64",
        "f64"
    };
    private static final int[] TYPE_BYTES = {1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8};
    private static final int FLOAT32 = 6;
    private static final int BOOL = 7;
    private static final int STRING = 8;
    private static final int ARRAY = 9;
    private static final int INT64 = 11;
    private static final int FLOAT64 = 12;

    private final GgufInput input;
    private final Path file;

    GgufParser(GgufInput input) {
        this.input = input;
        file = input.file();
    }

    Parsed parse() {
        int magic = input.readInt("magic");
        if (magic != MAGIC) {
            throw wrong("magic", "GGUF", printable(magic) + ForeignFormat.describe(head(magic)));
        }
        int version = input.readInt("version");
        if (version != 2 && version != 3) {
            boolean swapped =
                    Integer.reverseBytes(version) == 2 || Integer.reverseBytes(version) == 3;
            throw wrong(
                    "version",
                    "2 or 3",
                    swapped ? "a big-endian file" : Integer.toUnsignedString(version));
        }
        int tensorCount = input.readCount("number of tensors", MIN_TENSOR, MAX_TENSORS);
        int pairCount = input.readCount("number of metadata pairs", MIN_PAIR, MAX_PAIRS);
        Map<String, GgufValue> pairs = new LinkedHashMap<>();
        for (int i = 0; i < pairCount; i++) {
            String key = text("key of pair " + i, MAX_KEY);
            if (pairs.containsKey(key)) {
                throw wrong(key, "one value", "a second one");
            }
            pairs.put(key, value(key, input.readInt(key + " (type)")));
        }
        GgufMetadata metadata = new GgufMetadata(file, pairs);
        return new Parsed(version, metadata, tensors(tensorCount, alignment(metadata)));
    }

    /** Returns the first bytes of the file, of which the first four were read. */
    private byte[] head(int first) {
        int rest = (int) Math.min(ForeignFormat.HEAD_BYTES - Integer.BYTES, input.remaining());
        byte[] head = new byte[Integer.BYTES + rest];
        ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN).putInt(first);
        input.read(head, Integer.BYTES, rest, "magic");
        return head;
    }

    private long alignment(GgufMetadata metadata) {
        long alignment = metadata.findInteger(ALIGNMENT).orElse(32);
        if (alignment < 8 || alignment > 1 << 30 || Long.bitCount(alignment) != 1) {
            throw wrong(ALIGNMENT, "a power of two from 8", Long.toString(alignment));
        }
        return alignment;
    }

    private GgufValue value(String key, int type) {
        return switch (type) {
            case STRING -> new GgufValue.Text(input.readBytes(key, Integer.MAX_VALUE - 8));
            case ARRAY -> array(key);
            case BOOL -> new GgufValue.Bool(bool(key));
            case FLOAT32, FLOAT64 -> new GgufValue.Real(TYPE_NAMES[type], real(key, type));
            default -> new GgufValue.Whole(typeName(key, type), whole(key, type));
        };
    }

    private GgufValue array(String key) {
        int type = input.readInt(key + " (element type)");
        String name = typeName(key, type);
        if (type == ARRAY) {
            throw wrong(key, "an array of single values", "an array of arrays");
        }
        int count = input.readCount(key + " (count)", TYPE_BYTES[type], 1 << 28);
        if (type == STRING) {
            return strings(key, count);
        }
        if (type == FLOAT32 || type == FLOAT64) {
            double[] values = new double[count];
            for (int i = 0; i < count; i++) {
                values[i] = real(key, type);
            }
            return new GgufValue.Reals(name, values);
        }
        if (TYPE_BYTES[type] == Long.BYTES) {
            long[] values = new long[count];
            for (int i = 0; i < count; i++) {
                values[i] = whole(key, type);
            }
            return new GgufValue.Wholes(name, values);
        }
        if (type == 4) {
            long[] values = new long[count];
            for (int i = 0; i < count; i++) {
                values[i] = whole(key, type);
            }
            return new GgufValue.Wholes(name, values);
        }
        int[] values = new int[count];
        for (int i = 0; i < count; i++) {
            values[i] = type == BOOL ? (bool(key) ? 1 : 0) : (int) whole(key, type);
        }
        return new GgufValue.SmallWholes(name, values);
    }

    /** Reads strings into one block that grows with the bytes that were really read. */
    private GgufValue strings(String key, int count) {
        int[] ends = new int[count];
        String lengthField = key + " (length of a string)";
        byte[] bytes = new byte[Math.max(16, (int) Math.min(input.remaining() / 4, 1 << 20))];
        int size = 0;
        for (int i = 0; i < count; i++) {
            int length = input.readCount(lengthField, 1, Integer.MAX_VALUE - 8 - size);
            if (size + length > bytes.length) {
                long grown =
                        Math.min(
                                Math.max(bytes.length * 3L / 2, size + (long) length),
                                Integer.MAX_VALUE - 8);
                bytes = Arrays.copyOf(bytes, (int) Math.min(grown, size + input.remaining()));
            }
            input.read(bytes, size, length, key);
            size += length;
            ends[i] = size;
        }
        return new GgufValue.Texts(Arrays.copyOf(bytes, size), ends);
    }

    private long whole(String key, int type) {
        return switch (type) {
            case 0 -> Byte.toUnsignedLong(input.readByte(key));
            case 1 -> input.readByte(key);
            case 2 -> Short.toUnsignedLong(input.readShort(key));
            case 3 -> input.readShort(key);
            case 4 -> Integer.toUnsignedLong(input.readInt(key));
            case 5 -> input.readInt(key);
            case 10, INT64 -> input.readLong(key);
            default ->
                    throw wrong(key, "a value type from 0 to 12", Integer.toUnsignedString(type));
        };
    }

    private double real(String key, int type) {
        return type == FLOAT32
                ? Float.intBitsToFloat(input.readInt(key))
                : Double.longBitsToDouble(input.readLong(key));
    }

    private boolean bool(String key) {
        byte value = input.readByte(key);
        if (value != 0 && value != 1) {
            throw wrong(key, "a bool of 0 or 1", Integer.toString(value));
        }
        return value == 1;
    }

    private String typeName(String key, int type) {
        if (type < 0 || type >= TYPE_NAMES.length) {
            throw wrong(key, "a value type from 0 to 12", Integer.toUnsignedString(type));
        }
        return TYPE_NAMES[type];
    }

    private List<GgufTensor> tensors(int count, long alignment) {
        List<Info> infos = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (int i = 0; i < count; i++) {
            Info info = info(i, alignment);
            if (!names.add(info.name)) {
                throw wrong("tensor " + info.name, "one tensor of this name", "a second one");
            }
            infos.add(info);
        }
        long dataStart = Math.ceilDiv(input.position(), alignment) * alignment;
        List<GgufTensor> tensors = new ArrayList<>(infos.size());
        for (Info info : infos) {
            if (info.offset > input.size() - dataStart
                    || info.bytes > input.size() - dataStart - info.offset) {
                throw wrong(
                        "tensor " + info.name,
                        info.bytes + " bytes of data at offset " + info.offset,
                        "a truncated or corrupt file of "
                                + input.size()
                                + " bytes whose data begins at "
                                + dataStart);
            }
            tensors.add(
                    new GgufTensor(
                            info.name,
                            info.type,
                            info.dimensions,
                            new GgufTensor.Place(file, dataStart + info.offset, info.bytes)));
        }
        requireNoOverlap(tensors);
        return tensors;
    }

    private record Info(
            String name, GgmlType type, List<Long> dimensions, long offset, long bytes) {}

    private Info info(int index, long alignment) {
        String name = text("name of tensor " + index, MAX_NAME);
        String field = "tensor " + name;
        int dimensions = input.readInt(field + " (dimensions)");
        if (dimensions < 1 || dimensions > MAX_DIMENSIONS) {
            throw wrong(field, "1 to 4 dimensions", Integer.toUnsignedString(dimensions));
        }
        Long[] extents = new Long[dimensions];
        long elements = 1;
        for (int i = 0; i < dimensions; i++) {
            long extent = input.readLong(field + " (extent " + i + ")");
            if (extent <= 0 || extent > Long.MAX_VALUE / 64 / elements) {
                throw wrong(
                        field,
                        "positive extents whose product is a size",
                        "extent " + i + " of " + Long.toUnsignedString(extent));
            }
            elements *= extent;
            extents[i] = extent;
        }
        int typeId = input.readInt(field + " (type)");
        GgmlType type =
                GgmlType.byId(typeId)
                        .orElseThrow(
                                () ->
                                        wrong(
                                                field,
                                                "a known ggml type",
                                                "type " + Integer.toUnsignedString(typeId)));
        if (extents[0] % type.blockSize() != 0) {
            throw wrong(
                    field,
                    "rows of whole blocks of " + type.blockSize() + " (" + type.ggufName() + ")",
                    "rows of " + extents[0]);
        }
        long bytes;
        try {
            bytes = Math.multiplyExact(elements / type.blockSize(), (long) type.typeSize());
        } catch (ArithmeticException e) {
            throw wrong(
                    field, "a size below 2^63 bytes", elements + " elements of " + type.ggufName());
        }
        long offset = input.readLong(field + " (offset)");
        if (offset < 0 || offset % alignment != 0) {
            throw wrong(
                    field,
                    "an offset at a multiple of " + alignment,
                    Long.toUnsignedString(offset));
        }
        return new Info(name, type, List.of(extents), offset, bytes);
    }

    private void requireNoOverlap(List<GgufTensor> tensors) {
        List<GgufTensor> order = new ArrayList<>(tensors);
        order.sort(Comparator.comparingLong(GgufTensor::offset));
        for (int i = 1; i < order.size(); i++) {
            GgufTensor before = order.get(i - 1);
            if (before.offset() + before.bytes() > order.get(i).offset()) {
                throw wrong(
                        "tensor " + order.get(i).name(),
                        "data of its own",
                        "an overlap with " + before.name());
            }
        }
    }

    private String text(String field, int limit) {
        byte[] bytes = input.readBytes(field, limit);
        if (bytes.length == 0) {
            throw wrong(field, "a name", "an empty text");
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            throw wrong(field, "UTF-8", "other bytes");
        }
    }

    private static String printable(int magic) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 4; i++) {
            int c = magic >>> (8 * i) & 0xFF;
            text.append(
                    c >= 32 && c < 127
                            ? String.valueOf((char) c)
                            : String.format(java.util.Locale.ROOT, "\\x%02x", c));
        }
        return text.toString();
    }

    private ModelFormatException wrong(String field, String expected, String found) {
        return new ModelFormatException(file, field, expected, found);
    }
}

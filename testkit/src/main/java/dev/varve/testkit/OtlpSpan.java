package dev.varve.testkit;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A span as received over the wire: {@code opentelemetry.proto.trace.v1.Span}.
 *
 * @param parentId {@code ""} for one without
 * @param kind 1 for an internal span, 2 for a server's
 * @param statusCode 2 for an error
 * @param attributes texts, Longs, Doubles, Booleans and lists
 * @param resource attributes of the process
 */
public record OtlpSpan(
        String traceId,
        String spanId,
        String parentId,
        String traceState,
        String name,
        int kind,
        long begin,
        long end,
        int statusCode,
        Map<String, Object> attributes,
        Map<String, Object> resource) {
    /** A field of a message: its number, and a number or bytes. */
    private record Field(int number, long value, byte[] bytes) {}

    /** Reads an {@code ExportTraceServiceRequest}. */
    static List<OtlpSpan> parse(byte[] request) {
        List<OtlpSpan> spans = new ArrayList<>();
        for (Field resourceSpans : fields(request)) {
            Map<String, Object> resource = new LinkedHashMap<>();
            for (Field part : fields(resourceSpans.bytes())) {
                if (part.number() == 1) {
                    fields(part.bytes()).stream()
                            .filter(field -> field.number() == 1)
                            .forEach(field -> putAttribute(field.bytes(), resource));
                } else if (part.number() == 2) {
                    fields(part.bytes()).stream()
                            .filter(field -> field.number() == 2)
                            .forEach(field -> spans.add(span(field.bytes(), resource)));
                }
            }
        }
        return spans;
    }

    private static OtlpSpan span(byte[] message, Map<String, Object> resource) {
        String[] texts = {"", "", "", "", "", ""};
        long[] numbers = new long[9];
        int status = 0;
        Map<String, Object> attributes = new LinkedHashMap<>();
        for (Field field : fields(message)) {
            switch (field.number()) {
                case 1, 2, 4 -> texts[field.number()] = HexFormat.of().formatHex(field.bytes());
                case 3, 5 -> texts[field.number()] = text(field.bytes());
                case 6, 7, 8 -> numbers[field.number()] = field.value();
                case 9 -> putAttribute(field.bytes(), attributes);
                case 15 ->
                        status =
                                fields(field.bytes()).stream()
                                        .filter(part -> part.number() == 3)
                                        .mapToInt(part -> (int) part.value())
                                        .sum();
                default -> {}
            }
        }
        return new OtlpSpan(
                texts[1],
                texts[2],
                texts[4],
                texts[3],
                texts[5],
                (int) numbers[6],
                numbers[7],
                numbers[8],
                status,
                attributes,
                resource);
    }

    private static void putAttribute(byte[] keyValue, Map<String, Object> attributes) {
        String key = "";
        Object value = "";
        for (Field field : fields(keyValue)) {
            if (field.number() == 1) {
                key = text(field.bytes());
            } else {
                value = value(field.bytes());
            }
        }
        attributes.put(key, value);
    }

    private static Object value(byte[] anyValue) {
        Field field = fields(anyValue).getFirst();
        return switch (field.number()) {
            case 1 -> text(field.bytes());
            case 2 -> field.value() != 0;
            case 3 -> field.value();
            case 4 -> Double.longBitsToDouble(field.value());
            case 5 -> fields(field.bytes()).stream().map(each -> value(each.bytes())).toList();
            default -> throw new IllegalArgumentException("value of kind " + field.number());
        };
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static List<Field> fields(byte[] message) {
        List<Field> fields = new ArrayList<>();
        ByteBuffer in = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN);
        while (in.hasRemaining()) {
            int tag = (int) varint(in);
            switch (tag & 7) {
                case 0 -> fields.add(new Field(tag >>> 3, varint(in), new byte[0]));
                case 1 -> fields.add(new Field(tag >>> 3, in.getLong(), new byte[0]));
                case 2 -> {
                    byte[] bytes = new byte[(int) varint(in)];
                    in.get(bytes);
                    fields.add(new Field(tag >>> 3, 0, bytes));
                }
                case 5 -> fields.add(new Field(tag >>> 3, in.getInt(), new byte[0]));
                default -> throw new IllegalArgumentException("wire type " + (tag & 7));
            }
        }
        return fields;
    }

    private static long varint(ByteBuffer in) {
        long value = 0;
        int shift = 0;
        byte next;
        do {
            next = in.get();
            value |= (long) (next & 0x7f) << shift;
            shift += 7;
        } while (next < 0);
        return value;
    }
}

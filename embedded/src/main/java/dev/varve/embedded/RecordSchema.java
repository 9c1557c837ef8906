package dev.varve.embedded;

import dev.varve.api.VarveException;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * JSON schemas of Java records, and records of JSON texts.
 *
 * <p>Components may be strings, booleans, numbers, enums, lists and sets, arrays, maps with strings
 * as keys, other records, and {@link Optional} of these, which may be missing. All others are
 * required, and nothing else is permitted. Schemas have no recursion, so records must not contain
 * themselves.
 *
 * <p>A program that is a module opens the package of its records to {@code tools.jackson.databind}.
 *
 * @since 0.1.0
 */
public final class RecordSchema {
    private static final Set<Class<?>> INTEGERS =
            Set.of(
                    byte.class,
                    Byte.class,
                    short.class,
                    Short.class,
                    int.class,
                    Integer.class,
                    long.class,
                    Long.class,
                    BigInteger.class);

    private static final Set<Class<?>> NUMBERS =
            Set.of(float.class, Float.class, double.class, Double.class, BigDecimal.class);

    /** The records around the current component, outermost first. */
    private final Deque<Class<?>> path = new ArrayDeque<>();

    private RecordSchema() {}

    /**
     * Returns the JSON schema of a record.
     *
     * @throws IllegalArgumentException if a component has no schema, naming it
     */
    public static String of(Class<? extends Record> type) {
        return new RecordSchema().record(type).toString();
    }

    /**
     * Reads a record.
     *
     * @throws VarveException of kind INVALID_REQUEST if the text does not fit the record
     */
    public static <T extends Record> T read(Class<T> type, String json) {
        try {
            T value = ToolJson.MAPPER.readValue(json, type);
            if (value != null) {
                return value;
            }
        } catch (JacksonException e) {
            throw unfit(type, e);
        }
        throw unfit(type, null);
    }

    /** The message has no part of the text, which may be confidential. */
    private static VarveException unfit(Class<?> type, JacksonException cause) {
        String place =
                cause == null || cause.getPathReference().isEmpty()
                        ? ""
                        : " at " + cause.getPathReference();
        return new VarveException(
                VarveException.Kind.INVALID_REQUEST,
                "expected the JSON text of a "
                        + type.getSimpleName()
                        + ", found another one"
                        + place,
                cause);
    }

    private ObjectNode record(Class<?> type) {
        if (path.contains(type)) {
            throw new IllegalArgumentException(
                    type.getName() + ": expected a record that does not contain itself");
        }
        path.addLast(type);
        ObjectNode schema = ToolJson.MAPPER.createObjectNode().put("type", "object");
        ObjectNode properties = schema.putObject("properties");
        ArrayNode required = schema.putArray("required");
        for (RecordComponent component : type.getRecordComponents()) {
            properties.set(component.getName(), component(component));
            if (component.getType() != Optional.class) {
                required.add(component.getName());
            }
        }
        path.removeLast();
        return schema.put("additionalProperties", false);
    }

    private ObjectNode component(RecordComponent component) {
        Type type = component.getGenericType();
        Type value = component.getType() == Optional.class ? argument(type, 0) : type;
        return schema(value, component.getDeclaringRecord().getName() + "." + component.getName());
    }

    private ObjectNode schema(Type type, String place) {
        Class<?> raw = raw(type, place);
        if (raw.isRecord()) {
            return record(raw);
        }
        if (raw.isEnum()) {
            return names(raw);
        }
        if (raw.isArray()) {
            return array(raw.getComponentType(), place);
        }
        if (Collection.class.isAssignableFrom(raw)) {
            return array(argument(type, 0), place);
        }
        return raw == Map.class ? map(type, place) : simple(raw, place);
    }

    private ObjectNode map(Type type, String place) {
        if (argument(type, 0) != String.class) {
            throw unsupported(place, type);
        }
        ObjectNode schema = ToolJson.MAPPER.createObjectNode().put("type", "object");
        schema.set("additionalProperties", schema(argument(type, 1), place));
        return schema;
    }

    private ObjectNode array(Type items, String place) {
        ObjectNode schema = ToolJson.MAPPER.createObjectNode().put("type", "array");
        schema.set("items", schema(items, place));
        return schema;
    }

    private static ObjectNode names(Class<?> type) {
        ObjectNode schema = ToolJson.MAPPER.createObjectNode();
        ArrayNode names = schema.putArray("enum");
        Arrays.stream(type.getEnumConstants()).forEach(each -> names.add(((Enum<?>) each).name()));
        return schema;
    }

    private static ObjectNode simple(Class<?> type, String place) {
        ObjectNode schema = ToolJson.MAPPER.createObjectNode();
        if (type == String.class) {
            return schema.put("type", "string");
        }
        if (type == boolean.class || type == Boolean.class) {
            return schema.put("type", "boolean");
        }
        if (INTEGERS.contains(type)) {
            return schema.put("type", "integer");
        }
        if (NUMBERS.contains(type)) {
            return schema.put("type", "number");
        }
        throw unsupported(place, type);
    }

    private static Class<?> raw(Type type, String place) {
        return switch (type) {
            case Class<?> plain -> plain;
            case ParameterizedType generic -> (Class<?>) generic.getRawType();
            default -> throw unsupported(place, type);
        };
    }

    /** Returns a type argument; of a raw type, which has none, {@code Object}. */
    private static Type argument(Type type, int index) {
        return type instanceof ParameterizedType generic
                ? generic.getActualTypeArguments()[index]
                : Object.class;
    }

    private static IllegalArgumentException unsupported(String place, Type type) {
        return new IllegalArgumentException(
                place
                        + ": expected a string, boolean, number, enum, record, or a list or map of"
                        + " these, found "
                        + type.getTypeName());
    }
}

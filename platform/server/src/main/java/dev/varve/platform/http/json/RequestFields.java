package dev.varve.platform.http.json;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * Typed access to a request body. {@code null} counts as absent; a wrong type is a 400 that names
 * the field.
 */
public final class RequestFields {
    private static final int MAX_BRIEF = 40;

    private final ObjectNode body;

    /** Prefix of the fields' names in messages. */
    private final String path;

    /** Reads the fields of a whole body. */
    public RequestFields(ObjectNode body) {
        this(body, "");
    }

    private RequestFields(ObjectNode body, String path) {
        this.body = body;
        this.path = path;
    }

    /** Reads the fields of an object inside the body; errors name them with its path. */
    public static RequestFields at(String where, ObjectNode object) {
        return new RequestFields(object, where + ".");
    }

    /** Returns the path of a field in errors. */
    public String place(String name) {
        return path + name;
    }

    /** Returns a field of any type. */
    public Optional<JsonNode> find(String name) {
        JsonNode node = body.get(name);
        return node == null || node.isNull() ? Optional.empty() : Optional.of(node);
    }

    /** Returns a required field. */
    public JsonNode require(String name) {
        return find(name)
                .orElseThrow(() -> ApiException.invalid(path + name, path + name + ": missing"));
    }

    /** Returns a boolean field. */
    public Optional<Boolean> flag(String name) {
        return find(name)
                .map(
                        node -> {
                            if (!node.isBoolean()) {
                                throw wrongType(path + name, "true or false", node);
                            }
                            return node.booleanValue();
                        });
    }

    /** Returns a string field. */
    public Optional<String> text(String name) {
        return find(name)
                .map(
                        node -> {
                            if (!node.isString()) {
                                throw wrongType(path + name, "a string", node);
                            }
                            return node.stringValue();
                        });
    }

    /** Returns a whole number within bounds; {@code 64.0} counts as one. */
    public OptionalLong whole(String name, long min, long max) {
        Optional<JsonNode> node = find(name);
        if (node.isEmpty()) {
            return OptionalLong.empty();
        }
        String expected = "a whole number from " + min + " to " + max;
        if (!node.get().isNumber()) {
            throw wrongType(path + name, expected, node.get());
        }
        double value = node.get().doubleValue(Double.NaN);
        boolean exact =
                node.get().isIntegralNumber()
                        ? node.get().canConvertToLong()
                        : value == Math.rint(value) && Math.abs(value) < 0x1p63;
        long number =
                node.get().isIntegralNumber() && exact ? node.get().longValue() : (long) value;
        if (!exact || number < min || number > max) {
            throw wrongType(path + name, expected, node.get());
        }
        return OptionalLong.of(number);
    }

    /** Returns a number within bounds. */
    public OptionalDouble number(String name, double min, double max) {
        Optional<JsonNode> node = find(name);
        if (node.isEmpty()) {
            return OptionalDouble.empty();
        }
        double value = node.get().doubleValue(Double.NaN);
        if (!(value >= min && value <= max)) {
            throw wrongType(path + name, "a number from " + min + " to " + max, node.get());
        }
        return OptionalDouble.of(value);
    }

    /** Returns an object field. */
    public Optional<ObjectNode> object(String name) {
        return find(name)
                .map(
                        node -> {
                            if (!(node instanceof ObjectNode object)) {
                                throw wrongType(path + name, "an object", node);
                            }
                            return object;
                        });
    }

    /** Returns an array of objects, which is empty if the field is absent. */
    public List<ObjectNode> objects(String name) {
        return find(name).map(array -> objects(path + name, array)).orElse(List.of());
    }

    /** Returns the objects of an array; errors name it {@code where}. */
    public static List<ObjectNode> objects(String where, JsonNode array) {
        if (!array.isArray()) {
            throw wrongType(where, "an array", array);
        }
        List<ObjectNode> objects = new ArrayList<>();
        for (JsonNode element : array) {
            if (!(element instanceof ObjectNode object)) {
                throw wrongType(where + "[" + objects.size() + "]", "an object", element);
            }
            objects.add(object);
        }
        return objects;
    }

    /** Returns the fields of an object; errors name them with the object's name. */
    public Optional<RequestFields> nested(String name) {
        return object(name).map(inner -> new RequestFields(inner, path + name + "."));
    }

    /** Returns a string or an array of strings; empty strings are omitted. */
    public List<String> texts(String name, int most, int mostCharacters) {
        List<String> texts = new ArrayList<>();
        find(name)
                .ifPresent(
                        node -> {
                            if (node.isString()) {
                                texts.add(node.stringValue());
                            } else if (node.isArray()) {
                                for (JsonNode element : node) {
                                    if (!element.isString()) {
                                        throw wrongType(
                                                path + name,
                                                "a string or an array of strings",
                                                node);
                                    }
                                    texts.add(element.stringValue());
                                }
                            } else {
                                throw wrongType(
                                        path + name, "a string or an array of strings", node);
                            }
                            texts.removeIf(String::isEmpty);
                            if (texts.size() > most) {
                                throw ApiException.invalid(
                                        path + name,
                                        path
                                                + name
                                                + ": expected at most "
                                                + most
                                                + " strings, found "
                                                + texts.size());
                            }
                            if (texts.stream().anyMatch(text -> text.length() > mostCharacters)) {
                                throw ApiException.invalid(
                                        path + name,
                                        path
                                                + name
                                                + ": expected strings of at most "
                                                + mostCharacters
                                                + " characters");
                            }
                        });
        return texts;
    }

    /** Returns an array of token ids below {@code vocabulary}. */
    public static int[] tokenIds(String name, JsonNode array, int vocabulary) {
        int[] ids = new int[array.size()];
        for (int i = 0; i < ids.length; i++) {
            JsonNode element = array.get(i);
            if (!element.isIntegralNumber()
                    || !element.canConvertToInt()
                    || element.intValue() < 0
                    || element.intValue() >= vocabulary) {
                throw ApiException.invalid(
                        name,
                        name
                                + ": expected token ids from 0 to "
                                + (vocabulary - 1)
                                + ", found "
                                + brief(element));
            }
            ids[i] = element.intValue();
        }
        return ids;
    }

    /** Returns a 400 for a field of another type than expected. */
    public static ApiException wrongType(String name, String expected, JsonNode found) {
        return ApiException.invalid(
                name, name + ": expected " + expected + ", found " + brief(found));
    }

    /** Returns the type of a value, or the value itself if it cannot hold private text. */
    private static String brief(JsonNode node) {
        String text = node.isNumber() || node.isBoolean() ? node.toString() : "";
        return !text.isEmpty() && text.length() <= MAX_BRIEF
                ? text
                : node.getNodeType().name().toLowerCase(java.util.Locale.ROOT);
    }
}

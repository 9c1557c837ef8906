package dev.varve.platform.http.json;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads JSON within the server's limits, writes it, and converts it to plain Java values for
 * templates.
 */
public final class Json {
    /** Maximum nesting depth of arrays and objects. */
    public static final int MAX_DEPTH = 200;

    /**
     * Maximum number of names, values and brackets. Each takes about 50 bytes of memory. Sufficient
     * for a prompt of a million token ids.
     */
    public static final int MAX_ELEMENTS = 2_000_000;

    /** Number of first bytes that reveal whether a text is UTF-16 or UTF-32. */
    private static final int CODING_BYTES = 4;

    /** Reads within the limits of the server, and writes. */
    public static final JsonMapper MAPPER =
            JsonMapper.builder(
                            JsonFactory.builder()
                                    .streamReadConstraints(
                                            StreamReadConstraints.builder()
                                                    .maxNestingDepth(MAX_DEPTH)
                                                    .maxStringLength(Integer.MAX_VALUE)
                                                    .maxTokenCount(MAX_ELEMENTS)
                                                    .build())
                                    .build())
                    .build();

    /** Reads within the same limits, and keeps the digits of all numbers. */
    private static final JsonMapper EXACT =
            MAPPER.rebuild()
                    .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                    .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
                    .build();

    private Json() {}

    /** Returns an empty object. */
    public static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    /** Returns the node of a string. */
    public static JsonNode text(String text) {
        return MAPPER.getNodeFactory().stringNode(text);
    }

    /**
     * Parses a request body, which must be an object. A number beyond the range of a double is a
     * 400 anywhere in the body, so that later code need not check.
     */
    public static ObjectNode parse(byte[] body) {
        ObjectNode object = parse(MAPPER, body);
        FiniteNumberCheck.require(object);
        return object;
    }

    /** Parses a request body that must be an array, with the limits of {@link #parse}. */
    public static ArrayNode parseArray(byte[] body) {
        if (!(checkedTree(MAPPER, body) instanceof ArrayNode array)) {
            throw ApiException.invalid("", "the request body must be a JSON array");
        }
        if (FiniteNumberCheck.beyond(array).isPresent()) {
            throw ApiException.invalid("", "the request body " + FiniteNumberCheck.WORDS);
        }
        return array;
    }

    /** Parses a body that is forwarded: numbers keep all their digits. */
    public static ObjectNode parseExact(byte[] body) {
        return parse(EXACT, body);
    }

    /**
     * Reads JSON that another server sent.
     *
     * @throws JacksonException if it is not JSON
     */
    public static JsonNode readExact(byte[] text) {
        return EXACT.readTree(text);
    }

    /**
     * Reads JSON from a string within a body.
     *
     * @throws JacksonException if it is not JSON, or has a number beyond the range of a double
     */
    public static JsonNode read(String text) {
        JsonNode node = MAPPER.readTree(text);
        if (FiniteNumberCheck.beyond(node).isPresent()) {
            throw new StreamReadException((JsonParser) null, FiniteNumberCheck.WORDS);
        }
        return node;
    }

    /** Returns the node of maps, lists and plain values. */
    public static JsonNode exact(Object value) {
        return EXACT.valueToTree(value);
    }

    private static ObjectNode parse(JsonMapper mapper, byte[] body) {
        if (!(checkedTree(mapper, body) instanceof ObjectNode object)) {
            throw ApiException.invalid("", "the request body must be a JSON object");
        }
        return object;
    }

    private static JsonNode checkedTree(JsonMapper mapper, byte[] body) {
        Utf8Validator.check(body);
        for (int at = 0; at < Math.min(CODING_BYTES, body.length); at++) {
            if (body[at] == 0) {
                throw ApiException.invalid(
                        "", "the request body is not UTF-8 text: it has a zero at byte " + at);
            }
        }
        return tree(mapper, body);
    }

    private static JsonNode tree(JsonMapper mapper, byte[] body) {
        try (JsonParser parser = mapper.createParser(body)) {
            try {
                JsonNode node = mapper.readTree(parser);
                if (parser.nextToken() != null) {
                    throw new StreamReadException(parser, "Trailing token");
                }
                return node;
            } catch (JacksonException e) {
                throw JsonFault.of(e, parser);
            }
        }
    }

    /** Rounds a number to one decimal. */
    public static double tenths(double value) {
        return Math.round(value * 10) / 10.0;
    }

    /** Rounds a number to three decimals. */
    public static double thousandths(double value) {
        return Math.round(value * 1000) / 1000.0;
    }

    /** Returns the text of a value. */
    public static String write(JsonNode node) {
        return MAPPER.writeValueAsString(node);
    }

    /** Returns the text of a value in UTF-8. */
    public static byte[] writeBytes(JsonNode node) {
        return MAPPER.writeValueAsBytes(node);
    }

    /** Converts a node to maps, lists, strings, numbers, booleans and null, for templates. */
    public static Object plain(JsonNode node) {
        return switch (node.getNodeType()) {
            case OBJECT -> {
                Map<String, Object> map = new LinkedHashMap<>();
                node.properties()
                        .forEach(entry -> map.put(entry.getKey(), plain(entry.getValue())));
                yield map;
            }
            case ARRAY -> {
                List<Object> list = new ArrayList<>();
                node.forEach(element -> list.add(plain(element)));
                yield list;
            }
            case STRING -> node.stringValue();
            case NUMBER ->
                    node.isIntegralNumber()
                            ? (node.canConvertToLong()
                                    ? (Object) node.longValue()
                                    : node.bigIntegerValue())
                            // A number that was read exactly may be beyond the range of a double.
                            : node.isBigDecimal()
                                    ? (Object) node.decimalValue()
                                    : (Object) node.doubleValue();
            case BOOLEAN -> node.booleanValue();
            default -> null;
        };
    }
}

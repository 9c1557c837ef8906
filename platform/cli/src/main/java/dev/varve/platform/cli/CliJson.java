package dev.varve.platform.cli;

import dev.varve.api.VarveException;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.Locale;
import java.util.regex.Pattern;

/** Reads and writes JSON of the command line, one line per value. */
final class CliJson {
    private static final JsonMapper MAPPER = JsonMapper.shared();

    private static final JsonMapper EXACT =
            MAPPER.rebuild()
                    .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
                    .build();

    /** These occur inside of strings only. */
    private static final Pattern C1 = Pattern.compile("[\\x{7f}-\\x{9f}]");

    private CliJson() {}

    static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    static JsonNode text(String value) {
        return MAPPER.getNodeFactory().stringNode(value);
    }

    static ArrayNode array() {
        return MAPPER.createArrayNode();
    }

    static ArrayNode array(int[] values) {
        ArrayNode array = array();
        for (int value : values) {
            array.add(value);
        }
        return array;
    }

    /**
     * Writes a value. Control characters above ASCII, which a terminal may execute, are escaped
     * like those below.
     */
    static String write(JsonNode value) {
        return C1.matcher(MAPPER.writeValueAsString(value))
                .replaceAll(
                        found ->
                                String.format(
                                        Locale.ROOT, "\\\\u%04x", (int) found.group().charAt(0)));
    }

    /**
     * Converts a value to maps, lists, strings, numbers and truth values; integers stay integers.
     */
    static Object plain(JsonNode node) {
        return MAPPER.treeToValue(node, Object.class);
    }

    /**
     * Reads a value of any kind; numbers keep all their digits.
     *
     * @param source description of the text, for the message
     * @throws VarveException of kind CORRUPT_FILE if the text is not JSON
     */
    static JsonNode parseExact(String text, String source) {
        try {
            return EXACT.readTree(text);
        } catch (JacksonException e) {
            throw noJson(source, e);
        }
    }

    /**
     * Reads an object.
     *
     * @param source description of the text, for the message
     * @throws VarveException of kind CORRUPT_FILE if the text is not JSON object
     */
    static ObjectNode parseObject(String text, String source) {
        try {
            JsonNode node = MAPPER.readTree(text);
            if (node instanceof ObjectNode object) {
                return object;
            }
            throw new VarveException(
                    VarveException.Kind.CORRUPT_FILE,
                    source + ": expected a JSON object, found " + node.getNodeType());
        } catch (JacksonException e) {
            throw noJson(source, e);
        }
    }

    private static VarveException noJson(String source, JacksonException e) {
        return new VarveException(
                VarveException.Kind.CORRUPT_FILE,
                source
                        + ": invalid JSON: "
                        + e.getOriginalMessage().replaceAll(" \\(start marker at .*\\)", "")
                        + " at line "
                        + e.getLocation().getLineNr());
    }
}

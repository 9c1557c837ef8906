package dev.varve.platform.grammar.schema;

import tools.jackson.databind.JsonNode;

import java.math.BigDecimal;
import java.util.Map;
import java.util.TreeMap;

/**
 * A JSON value with the equality of JSON Schema: numbers by value, objects independent of the order
 * of their properties.
 */
final class Constant {
    private final JsonNode value;
    private final String key;

    Constant(JsonNode value) {
        this.value = value;
        StringBuilder text = new StringBuilder();
        write(value, text);
        key = text.toString();
    }

    JsonNode value() {
        return value;
    }

    private static void write(JsonNode node, StringBuilder text) {
        if (node.isObject()) {
            Map<String, JsonNode> sorted = new TreeMap<>();
            node.properties().forEach(entry -> sorted.put(entry.getKey(), entry.getValue()));
            text.append('{');
            sorted.forEach(
                    (name, child) -> {
                        text.append(CanonicalLiterals.quoted(name)).append(':');
                        write(child, text);
                        text.append(',');
                    });
            text.append('}');
        } else if (node.isArray()) {
            text.append('[');
            for (JsonNode child : node) {
                write(child, text);
                text.append(',');
            }
            text.append(']');
        } else if (node.isNumber()) {
            BigDecimal number = node.decimalValue();
            text.append(number.signum() == 0 ? "0" : number.stripTrailingZeros().toString());
        } else {
            text.append(
                    node.isString()
                            ? CanonicalLiterals.quoted(node.stringValue())
                            : node.toString());
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Constant constant && key.equals(constant.key);
    }

    @Override
    public int hashCode() {
        return key.hashCode();
    }

    @Override
    public String toString() {
        return key;
    }
}

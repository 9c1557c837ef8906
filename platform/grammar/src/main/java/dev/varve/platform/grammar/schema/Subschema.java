package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.GrammarException;

import tools.jackson.databind.JsonNode;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A schema within a {@link Document}, which keeps one object for each place. Reads the values of
 * keywords and rejects malformed ones.
 */
final class Subschema {
    private static final BigDecimal MOST_COUNT = BigDecimal.valueOf(Integer.MAX_VALUE);

    private final Document document;
    private final SchemaResource resource;
    private final String path;
    private final JsonNode node;

    Subschema(Document document, SchemaResource resource, String path, JsonNode node) {
        this.document = document;
        this.resource = resource;
        this.path = path;
        this.node = node;
    }

    Document document() {
        return document;
    }

    /** The base of its references. */
    SchemaResource resource() {
        return resource;
    }

    /** JSON pointer from the root of the document. */
    String path() {
        return path;
    }

    JsonNode node() {
        return node;
    }

    /** Returns whether it forbids nothing. */
    boolean isUnconstrained() {
        return node.isObject() && Keywords.constraintsOf(node).findAny().isEmpty();
    }

    /** The only string or number that it permits, if one keyword states it. */
    Optional<JsonNode> onlyValue() {
        JsonNode listed = node.get("enum");
        JsonNode value =
                listed != null && listed.isArray() && listed.size() == 1
                        ? listed.get(0)
                        : node.get("const");
        return Optional.ofNullable(value)
                .filter(
                        each ->
                                each.isIntegralNumber() && each.canConvertToLong()
                                        || each.isString()
                                                && CanonicalLiterals.isUnicode(each.stringValue()))
                .filter(
                        each ->
                                Keywords.constraintsOf(node)
                                        .allMatch(keyword -> saysNoMore(keyword, each)));
    }

    private boolean saysNoMore(String keyword, JsonNode value) {
        return switch (keyword) {
            case "const" -> !has("enum");
            case "enum" -> !has("const");
            case "type" -> {
                JsonNode type = node.get("type");
                yield type.isString()
                        && type.stringValue().equals(value.isString() ? "string" : "integer");
            }
            default -> false;
        };
    }

    /** The schema that it refers to, if it consists of a reference only; otherwise itself. */
    Subschema target() {
        return document.target(this);
    }

    boolean has(String keyword) {
        return node.has(keyword);
    }

    /** A failure at a keyword. */
    GrammarException refuse(String keyword, String message) {
        return new GrammarException(path + "/" + Document.escape(keyword), message);
    }

    private GrammarException expected(String keyword, String what) {
        return refuse(keyword, "expected " + what);
    }

    Optional<JsonNode> get(String keyword) {
        return Optional.ofNullable(node.get(keyword));
    }

    Optional<String> string(String keyword) {
        JsonNode value = node.get(keyword);
        if (value != null && !value.isString()) {
            throw expected(keyword, "a string");
        }
        return Optional.ofNullable(value).map(JsonNode::stringValue);
    }

    /** The boolean of a keyword; false if the keyword is missing. */
    boolean flag(String keyword) {
        JsonNode value = node.get(keyword);
        if (value != null && !value.isBoolean()) {
            throw expected(keyword, "true or false");
        }
        return value != null && value.booleanValue();
    }

    Optional<BigDecimal> number(String keyword) {
        JsonNode value = node.get(keyword);
        if (value != null && !value.isNumber()) {
            throw expected(keyword, "a number");
        }
        return Optional.ofNullable(value).map(JsonNode::decimalValue);
    }

    /** A count; {@link Integer#MAX_VALUE} for larger ones. */
    OptionalInt count(String keyword) {
        Optional<BigDecimal> value = number(keyword);
        if (value.isEmpty()) {
            return OptionalInt.empty();
        }
        BigDecimal count = value.get();
        if (count.signum() < 0 || (count.signum() > 0 && count.stripTrailingZeros().scale() > 0)) {
            throw expected(keyword, "a whole number, not below 0");
        }
        return OptionalInt.of(count.min(MOST_COUNT).intValue());
    }

    /** The schema of an existing keyword. */
    Subschema schema(String keyword) {
        return document.child(this, keyword);
    }

    /** The schemas in the array of an existing keyword. */
    List<Subschema> schemas(String keyword) {
        JsonNode value = node.get(keyword);
        if (!value.isArray() || value.isEmpty()) {
            throw expected(keyword, "an array of schemas");
        }
        List<Subschema> all = new ArrayList<>();
        for (int i = 0; i < value.size(); i++) {
            all.add(document.child(this, keyword, String.valueOf(i)));
        }
        return all;
    }

    /** The object of an existing keyword. */
    Map<String, JsonNode> entries(String keyword) {
        JsonNode value = node.get(keyword);
        if (!value.isObject()) {
            throw expected(keyword, "an object");
        }
        Map<String, JsonNode> all = new LinkedHashMap<>();
        value.properties().forEach(entry -> all.put(entry.getKey(), entry.getValue()));
        return all;
    }

    /** The schema of an entry in the object of a keyword. */
    Subschema entry(String keyword, String name) {
        return document.child(this, keyword, name);
    }

    /** The strings in the array of a keyword, if it exists. */
    List<String> strings(String keyword) {
        JsonNode value = node.get(keyword);
        return value == null ? List.of() : strings(keyword, value);
    }

    /** The strings in an array at a keyword. */
    List<String> strings(String keyword, JsonNode value) {
        List<String> all = new ArrayList<>();
        if (!value.isArray()) {
            throw expected(keyword, "an array of strings");
        }
        for (JsonNode each : value) {
            if (!each.isString()) {
                throw expected(keyword, "an array of strings");
            }
            if (!CanonicalLiterals.isUnicode(each)) {
                throw refuse(keyword, "has half of a surrogate pair");
            }
            all.add(each.stringValue());
        }
        return all;
    }

    /** Its position. */
    @Override
    public String toString() {
        return "#" + path;
    }
}

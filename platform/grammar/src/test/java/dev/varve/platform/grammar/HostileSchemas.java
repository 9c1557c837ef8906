package dev.varve.platform.grammar;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Schemas that nobody would write: sensible ones with parts replaced, doubled, moved and nested,
 * and keywords with values that they do not expect.
 */
final class HostileSchemas {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final int MOST_MUTATIONS = 6;

    private static final List<String> KEYWORDS =
            List.of(
                    "$ref",
                    "$dynamicRef",
                    "$id",
                    "$anchor",
                    "$schema",
                    "$defs",
                    "type",
                    "enum",
                    "const",
                    "allOf",
                    "anyOf",
                    "oneOf",
                    "not",
                    "if",
                    "then",
                    "else",
                    "properties",
                    "patternProperties",
                    "additionalProperties",
                    "propertyNames",
                    "required",
                    "minProperties",
                    "maxProperties",
                    "dependentRequired",
                    "dependentSchemas",
                    "dependencies",
                    "unevaluatedProperties",
                    "unevaluatedItems",
                    "items",
                    "prefixItems",
                    "contains",
                    "minContains",
                    "maxContains",
                    "minItems",
                    "maxItems",
                    "uniqueItems",
                    "minimum",
                    "maximum",
                    "exclusiveMinimum",
                    "multipleOf",
                    "minLength",
                    "maxLength",
                    "pattern",
                    "format",
                    "nonsense");

    private static final List<String> TEXTS =
            List.of(
                    "",
                    "a",
                    "#",
                    "#/$defs/d",
                    "#/properties/id",
                    "#/allOf/0",
                    "#x",
                    "object",
                    "array",
                    "string",
                    "integer",
                    "null",
                    "date-time",
                    "email",
                    "^(a|b)*a(a|b){9}$",
                    "((a+)+)+$",
                    "(?=b)a",
                    "\\1",
                    "[",
                    "\\p{L}+",
                    "^.{0,70000}$",
                    "\ud800",
                    "\u0000",
                    "http://json-schema.org/draft-04/schema#",
                    "http://[",
                    "~2");

    private static final List<BigDecimal> NUMBERS =
            List.of(
                    new BigDecimal("0"),
                    new BigDecimal("-1"),
                    new BigDecimal("1"),
                    new BigDecimal("2.5"),
                    new BigDecimal("1e-30"),
                    new BigDecimal("1e40"),
                    new BigDecimal("-1e400"),
                    new BigDecimal("999999999999"),
                    new BigDecimal("0.3333333333"),
                    new BigDecimal("7"));

    private final Random random;

    HostileSchemas(Random random) {
        this.random = random;
    }

    /** A schema, or what is none. */
    JsonNode schema() {
        ObjectNode root = new RandomSchemas(random).schema();
        for (int count = 1 + random.nextInt(MOST_MUTATIONS); count > 0; count--) {
            mutate(root);
        }
        return random.nextInt(200) == 0 ? value(1) : root;
    }

    private void mutate(ObjectNode root) {
        List<ObjectNode> objects = new ArrayList<>();
        collect(root, objects);
        ObjectNode target = pick(objects);
        String keyword = pick(KEYWORDS);
        switch (random.nextInt(8)) {
            case 0, 1 -> target.set(keyword, value(2));
            case 2 -> target.set(keyword, pick(objects).deepCopy());
            case 3 ->
                    target.set(
                            keyword, JSON.arrayNode().add(pick(objects).deepCopy()).add(value(2)));
            case 4 -> target.set(keyword, named(pick(objects).deepCopy()));
            case 5 -> target.setAll(pick(objects).deepCopy());
            case 6 -> nest(target, keyword);
            default -> target.remove(pick(List.copyOf(target.propertyNames()), keyword));
        }
    }

    private ObjectNode named(JsonNode schema) {
        ObjectNode all = JSON.objectNode();
        all.set(pick(TEXTS), schema);
        all.set("id", value(1));
        return all;
    }

    /** The same again, many times within itself. */
    private void nest(ObjectNode target, String keyword) {
        ObjectNode inner = target.deepCopy();
        if (inner.toString().length() > 500) {
            return;
        }
        for (int depth = random.nextInt(40); depth > 0; depth--) {
            ObjectNode outer = JSON.objectNode();
            outer.set(keyword, random.nextBoolean() ? inner : JSON.arrayNode().add(inner));
            inner = outer;
        }
        target.set(keyword, inner);
    }

    private static void collect(JsonNode node, List<ObjectNode> into) {
        if (node instanceof ObjectNode object) {
            into.add(object);
        }
        node.forEach(child -> collect(child, into));
    }

    private JsonNode value(int depth) {
        return switch (random.nextInt(depth == 0 ? 5 : 8)) {
            case 0 -> JSON.stringNode(pick(TEXTS));
            case 1, 2 -> JSON.numberNode(pick(NUMBERS));
            case 3 -> JSON.booleanNode(random.nextBoolean());
            case 4 -> JSON.nullNode();
            case 5 -> array(depth - 1);
            default -> object(depth - 1);
        };
    }

    private ArrayNode array(int depth) {
        ArrayNode array = JSON.arrayNode();
        for (int count = random.nextInt(5); count > 0; count--) {
            array.add(value(depth));
        }
        return array;
    }

    private ObjectNode object(int depth) {
        ObjectNode object = JSON.objectNode();
        for (int count = random.nextInt(4); count > 0; count--) {
            object.set(random.nextBoolean() ? pick(KEYWORDS) : pick(TEXTS), value(depth));
        }
        return object;
    }

    private <T> T pick(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    private <T> T pick(List<T> all, T otherwise) {
        return all.isEmpty() ? otherwise : pick(all);
    }
}

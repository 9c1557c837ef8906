package dev.varve.platform.grammar;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.Random;

/** JSON schemas at random, of all the keywords that are supported. */
final class RandomSchemas {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final List<String> NAMES =
            List.of("id", "name", "né", "a b", "list", "x-1", "\"", "kind");
    private static final List<String> PATTERNS =
            List.of("^[a-z]{2,5}$", "b", "^x-", "[0-9]+$", "^(ab|cd)*$", "^\\S.*\\S$", "é?");

    /** Not email: the other validator wants a top-level domain of its own list. */
    private static final List<String> FORMATS =
            List.of("date", "date-time", "time", "uuid", "ipv4", "ipv6", "hostname");

    private final Random random;

    RandomSchemas(Random random) {
        this.random = random;
    }

    /** A schema that may refer to itself. */
    ObjectNode schema() {
        ObjectNode root = schema(3);
        root.putObject("$defs").set("d", schema(2));
        return root;
    }

    private ObjectNode schema(int depth) {
        ObjectNode schema = JSON.objectNode();
        switch (random.nextInt(depth == 0 ? 5 : 11)) {
            case 0 -> number(schema);
            case 1, 2 -> string(schema);
            case 3 -> schema.set("enum", values());
            case 4 -> schema.put("type", random.nextBoolean() ? "boolean" : "null");
            case 5, 6, 7 -> object(schema, depth - 1);
            case 8 -> array(schema, depth - 1);
            case 9 -> combined(schema, depth - 1);
            default -> schema.put("$ref", random.nextInt(4) == 0 ? "#" : "#/$defs/d");
        }
        return schema;
    }

    private void number(ObjectNode schema) {
        schema.put("type", random.nextBoolean() ? "integer" : "number");
        if (random.nextBoolean()) {
            schema.put(
                    random.nextBoolean() ? "minimum" : "exclusiveMinimum", random.nextInt(40) - 20);
        }
        if (random.nextBoolean()) {
            schema.put("maximum", 20 + random.nextInt(1000) / 8.0);
        }
        if (random.nextInt(4) == 0) {
            schema.put("multipleOf", List.of(1.0, 3.0, 0.5, 0.25, 7.0).get(random.nextInt(5)));
        }
    }

    private void string(ObjectNode schema) {
        schema.put("type", "string");
        if (random.nextInt(3) == 0) {
            schema.put("minLength", random.nextInt(4));
        }
        if (random.nextInt(3) == 0) {
            schema.put("maxLength", 4 + random.nextInt(60));
        }
        switch (random.nextInt(5)) {
            case 0 -> schema.put("pattern", PATTERNS.get(random.nextInt(PATTERNS.size())));
            case 1 -> schema.put("format", FORMATS.get(random.nextInt(FORMATS.size())));
            default -> {}
        }
    }

    private ArrayNode values() {
        ArrayNode values = JSON.arrayNode();
        for (int count = 1 + random.nextInt(4); count > 0; count--) {
            switch (random.nextInt(5)) {
                case 0 -> values.add(random.nextInt(100));
                case 1 -> values.add(NAMES.get(random.nextInt(NAMES.size())));
                case 2 -> values.addNull();
                case 3 -> values.addObject().put("a", 1.5);
                default -> values.add("word " + random.nextInt(10));
            }
        }
        return values;
    }

    private void object(ObjectNode schema, int depth) {
        schema.put("type", "object");
        ObjectNode properties = schema.putObject("properties");
        ArrayNode required = JSON.arrayNode();
        for (String name : NAMES) {
            if (random.nextInt(3) == 0) {
                properties.set(name, schema(depth));
            }
            if (random.nextInt(6) == 0) {
                required.add(name);
            }
        }
        if (!required.isEmpty()) {
            schema.set("required", required);
        }
        switch (random.nextInt(4)) {
            case 0 -> schema.put("additionalProperties", false);
            case 1 -> schema.set("additionalProperties", schema(0));
            default -> {}
        }
        if (random.nextInt(5) == 0) {
            schema.putObject("patternProperties").set("^x-", schema(depth));
        }
        if (random.nextInt(6) == 0) {
            schema.put("maxProperties", 1 + random.nextInt(4));
        }
        if (random.nextInt(8) == 0) {
            schema.put("minProperties", 1);
        }
    }

    private void array(ObjectNode schema, int depth) {
        schema.put("type", "array");
        if (random.nextInt(3) > 0) {
            schema.set("items", schema(depth));
        }
        if (random.nextInt(3) == 0) {
            schema.putArray("prefixItems").add(schema(depth)).add(schema(depth));
        }
        if (random.nextInt(3) == 0) {
            schema.put("minItems", random.nextInt(3));
        }
        if (random.nextInt(3) == 0) {
            schema.put("maxItems", 2 + random.nextInt(3));
        }
    }

    private void combined(ObjectNode schema, int depth) {
        switch (random.nextInt(5)) {
            case 0 -> schema.putArray("allOf").add(schema(depth)).add(schema(depth));
            case 1 -> schema.putArray("oneOf").add(schema(depth)).add(schema(depth));
            case 2 -> schema.set("not", schema(0));
            case 3 -> {
                schema.set("if", schema(0));
                schema.set("then", schema(depth));
                schema.set("else", schema(depth));
            }
            default -> schema.putArray("anyOf").add(schema(depth)).add(schema(depth));
        }
    }
}

package dev.varve.platform.chat;

import dev.varve.api.model.JsonStrings;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * Type of one value in the JSON schema of a tool. Schemas come from clients and may be invalid;
 * unknown keywords are ignored.
 */
final class ArgumentSchema {
    private enum Kind {
        STRING,
        INTEGER,
        NUMBER,
        BOOLEAN,
        OBJECT,
        ARRAY,
        NULL
    }

    private static final int MAX_DEPTH = 8;

    /** Limit for branches: branches that refer to each other would recurse without end. */
    private static final int MAX_BRANCHES = 200;

    /** Longer numbers are not converted: the work grows with the square of their length. */
    private static final int MAX_DIGITS = 400;

    private static final Pattern INTEGER = Pattern.compile("[+-]?\\d+(\\.0*)?");
    private static final Pattern JSON_NUMBER =
            Pattern.compile("-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?");
    private static final Pattern NUMBER =
            Pattern.compile("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d{1,6})?");
    private static final List<String> UNIONS = List.of("anyOf", "oneOf", "allOf");

    private final JsonNode root;
    private final JsonNode schema;
    private final Set<Kind> kinds = new LinkedHashSet<>();
    private int branches;

    private ArgumentSchema(JsonNode root, JsonNode schema) {
        this.root = root;
        this.schema = resolved(schema);
        collect(this.schema, 0);
    }

    /** Returns the type of all arguments of a tool. */
    static ArgumentSchema of(JsonNode parameters) {
        return new ArgumentSchema(parameters, parameters);
    }

    /** Returns the type of one member of an object. */
    ArgumentSchema property(String key) {
        branches = 0;
        return new ArgumentSchema(root, member(schema, key, 0));
    }

    /** Returns the type of the elements of an array. */
    ArgumentSchema items() {
        branches = 0;
        return new ArgumentSchema(root, elements(schema, 0));
    }

    /** Whether every text is a string, except those for which {@link #mayBeNull} holds. */
    boolean isString() {
        return kinds.stream().filter(kind -> kind != Kind.NULL).findFirst().stream()
                .anyMatch(kind -> kind == Kind.STRING);
    }

    /** Whether a text, or one that begins with it, may mean null. */
    boolean mayBeNull(String begin) {
        return kinds.contains(Kind.NULL) && ("null".startsWith(begin) || "None".startsWith(begin));
    }

    /** Whether the schema gives no type. */
    boolean isUnknown() {
        return kinds.isEmpty();
    }

    /** Whether the type allows strings. */
    boolean acceptsStrings() {
        return kinds.contains(Kind.STRING);
    }

    /** Whether the type allows objects. */
    boolean acceptsObjects() {
        return isUnknown() || kinds.contains(Kind.OBJECT);
    }

    /** Whether the type allows arrays. */
    boolean acceptsArrays() {
        return isUnknown() || kinds.contains(Kind.ARRAY);
    }

    /** Whether an object of this type has a property with its own schema. */
    boolean declares(String key) {
        branches = 0;
        return !properties(schema, key, 0).path(key).isMissingNode();
    }

    /** Whether the schema declares the properties of an object of this type. */
    boolean declaresAny() {
        branches = 0;
        return !properties(schema, "", 0).isEmpty();
    }

    /** Returns the names of the types that are tried before string. */
    String[] typesBeforeString() {
        return kinds.stream()
                .takeWhile(kind -> kind != Kind.STRING)
                .map(kind -> kind.name().toLowerCase(Locale.ROOT))
                .toArray(String[]::new);
    }

    /** Converts a value that was written as raw text to JSON. */
    String coerce(String text) {
        return convert(text)
                .or(
                        () ->
                                Optional.of(text.strip())
                                        .filter(bare -> StrictJson.parse(bare).isPresent()))
                .orElseGet(() -> JsonStrings.quoted(text));
    }

    /** Converts a value that was written as raw text to JSON; empty if it is not of this type. */
    Optional<String> convert(String text) {
        String bare = text.strip();
        if (kinds.contains(Kind.NULL) && (bare.equals("null") || bare.equals("None"))) {
            return Optional.of("null");
        }
        for (Kind kind : kinds) {
            Optional<String> json = as(kind, text, bare);
            if (json.isPresent()) {
                return json;
            }
        }
        return Optional.empty();
    }

    private Optional<String> as(Kind kind, String text, String bare) {
        return switch (kind) {
            case STRING -> Optional.of(JsonStrings.quoted(text));
            case INTEGER -> integer(unquoted(bare));
            case NUMBER -> number(unquoted(bare));
            case BOOLEAN ->
                    Optional.of(unquoted(bare).toLowerCase(Locale.ROOT))
                            .filter(word -> word.equals("true") || word.equals("false"));
            case OBJECT -> structure(bare, '{');
            case ARRAY -> structure(bare, '[');
            case NULL -> Optional.empty();
        };
    }

    private static String unquoted(String text) {
        int last = text.length() - 1;
        boolean isQuoted =
                last > 0
                        && (text.charAt(0) == '"' || text.charAt(0) == '\'')
                        && text.charAt(last) == text.charAt(0);
        return isQuoted ? text.substring(1, last) : text;
    }

    /** Returns JSON as it is, and converts near-JSON, such as Python's literals, to JSON. */
    private Optional<String> structure(String text, char open) {
        if (text.isEmpty() || text.charAt(0) != open) {
            return Optional.empty();
        }
        return StrictJson.parse(text).isPresent() ? Optional.of(text) : LenientJson.of(text, this);
    }

    private static Optional<String> integer(String text) {
        if (text.length() > MAX_DIGITS || !INTEGER.matcher(text).matches()) {
            return Optional.empty();
        }
        int point = text.indexOf('.');
        return Optional.of(new BigInteger(point < 0 ? text : text.substring(0, point)).toString());
    }

    private static Optional<String> number(String text) {
        if (text.length() > MAX_DIGITS || !NUMBER.matcher(text).matches()) {
            return Optional.empty();
        }
        return Optional.of(
                JSON_NUMBER.matcher(text).matches() ? text : new BigDecimal(text).toString());
    }

    private void collect(JsonNode node, int depth) {
        JsonNode type = node.path("type");
        if (type.isString()) {
            add(type);
        } else if (type.isArray()) {
            type.forEach(this::add);
        }
        if (node.path("nullable").asBoolean(false)) {
            kinds.add(Kind.NULL);
        }
        for (String union : UNIONS) {
            for (JsonNode branch : node.path(union)) {
                if (mayEnter(depth)) {
                    collect(resolved(branch), depth + 1);
                }
            }
        }
        if (type.isMissingNode()) {
            node.path("enum").forEach(value -> kinds.add(kindOf(value)));
            if (node.has("const")) {
                kinds.add(kindOf(node.path("const")));
            }
            if (node.has("properties")) {
                kinds.add(Kind.OBJECT);
            }
            if (node.has("items")) {
                kinds.add(Kind.ARRAY);
            }
        }
    }

    private void add(JsonNode type) {
        String name = type.stringValue("").toUpperCase(Locale.ROOT);
        EnumSet.allOf(Kind.class).stream()
                .filter(kind -> kind.name().equals(name))
                .forEach(kinds::add);
    }

    private static Kind kindOf(JsonNode value) {
        return switch (value.getNodeType()) {
            case NUMBER -> value.isIntegralNumber() ? Kind.INTEGER : Kind.NUMBER;
            case BOOLEAN -> Kind.BOOLEAN;
            case OBJECT, POJO -> Kind.OBJECT;
            case ARRAY -> Kind.ARRAY;
            case NULL, MISSING -> Kind.NULL;
            case STRING, BINARY -> Kind.STRING;
        };
    }

    private JsonNode member(JsonNode node, String key, int depth) {
        JsonNode found = node.path("properties").path(key);
        return found.isMissingNode()
                ? inBranches(node, depth, branch -> member(branch, key, depth + 1))
                        .orElse(node.path("additionalProperties"))
                : found;
    }

    /** Returns the properties that contain a key, or any properties for an empty key. */
    private JsonNode properties(JsonNode node, String key, int depth) {
        JsonNode found = node.path("properties");
        boolean isFound = key.isEmpty() ? !found.isEmpty() : found.has(key);
        return isFound
                ? found
                : inBranches(node, depth, branch -> found(properties(branch, key, depth + 1)))
                        .orElse(MissingNode.getInstance());
    }

    private static JsonNode found(JsonNode properties) {
        return properties.isEmpty() ? MissingNode.getInstance() : properties;
    }

    private JsonNode elements(JsonNode node, int depth) {
        JsonNode found = node.path("items");
        return found.isMissingNode()
                ? inBranches(node, depth, branch -> elements(branch, depth + 1)).orElse(found)
                : found;
    }

    private Optional<JsonNode> inBranches(
            JsonNode node, int depth, UnaryOperator<JsonNode> search) {
        for (String union : UNIONS) {
            for (JsonNode branch : node.path(union)) {
                JsonNode found =
                        mayEnter(depth)
                                ? search.apply(resolved(branch))
                                : MissingNode.getInstance();
                if (!found.isMissingNode()) {
                    return Optional.of(found);
                }
            }
        }
        return Optional.empty();
    }

    private boolean mayEnter(int depth) {
        return depth < MAX_DEPTH && branches++ < MAX_BRANCHES;
    }

    /** Follows references within the schema. */
    private JsonNode resolved(JsonNode node) {
        JsonNode at = node;
        for (int hop = 0; hop < MAX_DEPTH && at.path("$ref").isString(); hop++) {
            String reference = at.path("$ref").stringValue();
            if (!reference.startsWith("#/")) {
                return MissingNode.getInstance();
            }
            JsonNode next = root;
            for (String step : reference.substring(2).split("/", -1)) {
                next = next.path(step.replace("~1", "/").replace("~0", "~"));
            }
            at = next;
        }
        return at;
    }
}

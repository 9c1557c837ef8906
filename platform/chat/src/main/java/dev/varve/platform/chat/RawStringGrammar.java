package dev.varve.platform.chat;

import dev.varve.platform.grammar.GrammarException;
import dev.varve.platform.grammar.pattern.Formats;
import dev.varve.platform.grammar.pattern.PatternException;
import dev.varve.platform.grammar.pattern.Patterns;
import dev.varve.platform.grammar.pattern.StringEscaping;
import dev.varve.platform.grammar.pattern.TextRegexBuilder;
import dev.varve.platform.grammar.regex.Regex;
import dev.varve.platform.grammar.regex.RegexStore;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Patterns of the strings that a schema allows, raw, without quotes and escapes. */
final class RawStringGrammar {
    private static final int MAX_DEPTH = 8;
    private static final List<String> KEYWORDS =
            List.of(
                    "type",
                    "enum",
                    "const",
                    "minLength",
                    "maxLength",
                    "pattern",
                    "format",
                    "anyOf",
                    "oneOf",
                    // These keywords do not restrict strings.
                    "properties",
                    "required",
                    "additionalProperties",
                    "items",
                    "minItems",
                    "maxItems",
                    "uniqueItems",
                    "minimum",
                    "maximum",
                    "exclusiveMinimum",
                    "exclusiveMaximum",
                    "multipleOf");

    private final TextRegexBuilder text;
    private final RegexStore store;
    private final Patterns patterns;
    private final Formats formats;

    RawStringGrammar(RegexStore store) {
        this.store = store;
        text = new TextRegexBuilder(store, StringEscaping.PLAIN);
        patterns = new Patterns(text);
        formats = new Formats(text);
    }

    /** Returns the pattern of all strings. */
    Regex any() {
        return text.characters(0, Integer.MAX_VALUE);
    }

    /** Returns the pattern of all strings that do not contain a part. */
    Regex without(String part) {
        Regex found = store.concat(store.anything(), store.literal(part), store.anything());
        return store.and(any(), store.not(found));
    }

    /** Returns the pattern of exactly one string. */
    Regex literal(String value) {
        return text.literal(value);
    }

    /**
     * Returns the pattern of the strings that a schema allows.
     *
     * @param root schema that contains the referenced definitions
     * @param path path of the schema, for messages
     * @throws GrammarException if they cannot be enforced
     */
    Regex of(JsonNode root, JsonNode schema, String path) {
        return of(root, schema, path, 0);
    }

    private Regex of(JsonNode root, JsonNode schema, String path, int depth) {
        if (schema.isMissingNode() || schema.isBoolean() && schema.booleanValue()) {
            return any();
        }
        if (depth > MAX_DEPTH) {
            throw new GrammarException(path, "is nested deeper than " + MAX_DEPTH + " levels");
        }
        JsonNode own = SubschemaGrammar.resolved(root, schema, path);
        if (!allows(own, "string")) {
            return store.nothing();
        }
        SubschemaGrammar.requireOnly(own, KEYWORDS, path);
        List<Regex> all = new ArrayList<>();
        all.add(lengths(own));
        values(own).ifPresent(all::add);
        if (own.path("pattern").isString()) {
            all.add(pattern(own.get("pattern").stringValue(), path));
        }
        if (own.path("format").isString()) {
            formats.of(own.get("format").stringValue()).ifPresent(all::add);
        }
        if (own.has("anyOf")) {
            all.add(store.or(branches(root, own, "anyOf", path, depth)));
        }
        if (own.has("oneOf")) {
            all.add(store.or(disjoint(branches(root, own, "oneOf", path, depth), path)));
        }
        return store.and(all.toArray(Regex[]::new));
    }

    /** Whether a schema may allow values of a type, judged by its type keywords. */
    static boolean allows(JsonNode schema, String type) {
        JsonNode types = schema.path("type");
        if (types.isString()) {
            return types.stringValue().equals(type);
        }
        if (!types.isArray()) {
            return true;
        }
        for (JsonNode each : types) {
            if (each.asString("").equals(type)) {
                return true;
            }
        }
        return false;
    }

    private Regex lengths(JsonNode own) {
        int least = Math.clamp(own.path("minLength").asLong(0), 0, Integer.MAX_VALUE);
        int most =
                Math.clamp(own.path("maxLength").asLong(Integer.MAX_VALUE), 0, Integer.MAX_VALUE);
        return most < least ? store.nothing() : text.characters(least, most);
    }

    private Optional<Regex> values(JsonNode own) {
        if (!own.has("enum") && !own.has("const")) {
            return Optional.empty();
        }
        List<Regex> values = new ArrayList<>();
        own.path("enum").forEach(value -> literal(value).ifPresent(values::add));
        Regex listed = own.has("enum") ? store.or(values) : any();
        return Optional.of(
                own.has("const")
                        ? store.and(listed, literal(own.get("const")).orElse(store.nothing()))
                        : listed);
    }

    private Optional<Regex> literal(JsonNode value) {
        return value.isString() ? Optional.of(literal(value.stringValue())) : Optional.empty();
    }

    private Regex pattern(String pattern, String path) {
        try {
            return patterns.search(pattern);
        } catch (PatternException e) {
            throw new GrammarException(path + "/pattern", e.getMessage());
        }
    }

    private List<Regex> branches(
            JsonNode root, JsonNode own, String union, String path, int depth) {
        List<Regex> branches = new ArrayList<>();
        int number = 0;
        for (JsonNode branch : own.get(union)) {
            branches.add(of(root, branch, path + "/" + union + "/" + number++, depth + 1));
        }
        return branches;
    }

    /**
     * Checks that branches of {@code oneOf} do not overlap: a string that several branches allow is
     * invalid.
     */
    private List<Regex> disjoint(List<Regex> branches, String path) {
        List<Regex> some = branches.stream().filter(each -> each != store.nothing()).toList();
        for (int i = 0; i < some.size(); i++) {
            for (int j = 0; j < i; j++) {
                if (store.isAlive(store.and(some.get(i), some.get(j)))) {
                    throw new GrammarException(
                            path + "/oneOf", "more than one branch allows the same string");
                }
            }
        }
        return some;
    }

    /** Whether a schema allows null, judged by its types, lists of values and branches. */
    static boolean allowsNull(JsonNode root, JsonNode schema, String path) {
        if (schema.isMissingNode() || schema.isBoolean()) {
            return schema.asBoolean(true);
        }
        JsonNode own = SubschemaGrammar.resolved(root, schema, path);
        if (!allows(own, "null") || own.has("const") && !own.get("const").isNull()) {
            return false;
        }
        boolean listed = !own.has("enum");
        for (JsonNode value : own.path("enum")) {
            listed |= value.isNull();
        }
        for (String union : List.of("anyOf", "oneOf")) {
            if (own.has(union)) {
                int count = 0;
                for (JsonNode branch : own.get(union)) {
                    count += allowsNull(root, branch, path) ? 1 : 0;
                }
                listed &= union.equals("anyOf") ? count > 0 : count == 1;
            }
        }
        return listed;
    }
}

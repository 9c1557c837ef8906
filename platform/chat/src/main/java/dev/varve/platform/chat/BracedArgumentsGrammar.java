package dev.varve.platform.chat;

import dev.varve.api.model.ToolSyntax;
import dev.varve.platform.grammar.GrammarException;
import dev.varve.platform.grammar.cfg.GrammarBuilder;
import dev.varve.platform.grammar.regex.Regex;
import dev.varve.platform.grammar.regex.RegexStore;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Grammar of the arguments of {@link ToolSyntax.Braced} calls: objects with bare keys, sorted as
 * templates render them, strings between special tokens, and other values as JSON.
 */
final class BracedArgumentsGrammar implements ArgumentsGrammar {
    private static final int MAX_DEPTH = 32;
    private static final List<String> ARRAY_KEYWORDS =
            List.of("type", "items", "minItems", "maxItems");
    private static final String[] BARE_TYPES = {"null", "boolean", "number"};

    private final ToolCallSymbols markup;
    private final GrammarBuilder builder;
    private final RegexStore store;
    private final RawStringGrammar strings;
    private final int quote;

    /** Symbols of references, which may be recursive. */
    private final Map<JsonNode, Integer> references = new HashMap<>();

    private OptionalInt anything = OptionalInt.empty();

    BracedArgumentsGrammar(ToolSyntax.Braced syntax, ToolCallSymbols markup) {
        this.markup = markup;
        builder = markup.builder();
        store = markup.store();
        strings = new RawStringGrammar(store);
        quote = markup.tag(syntax.quote());
    }

    @Override
    public int of(JsonNode parameters) {
        return new Values(parameters).object(parameters, "", 0);
    }

    @Override
    public int any() {
        return freeObject();
    }

    /** Grammar of the values of one tool's schema. */
    private final class Values {
        private final JsonNode root;

        Values(JsonNode root) {
            this.root = root;
        }

        /** Returns the symbol of a value of any type that a schema allows. */
        int value(JsonNode schema, String path, int depth) {
            if (schema.isMissingNode()
                    || schema.isBoolean() && schema.booleanValue()
                    || schema.isObject() && schema.isEmpty()) {
                return anything();
            }
            if (depth > MAX_DEPTH) {
                throw new GrammarException(path, "is nested deeper than " + MAX_DEPTH + " levels");
            }
            if (!schema.path("$ref").isString()) {
                return union(schema, path, depth);
            }
            JsonNode target = SubschemaGrammar.resolved(root, schema, path);
            Integer known = references.get(target);
            if (known == null) {
                known = builder.nonterminal("reference");
                references.put(target, known);
                builder.rule(known, value(target, path, depth + 1));
            }
            return known;
        }

        private int union(JsonNode schema, String path, int depth) {
            if (schema.has("anyOf")) {
                SubschemaGrammar.requireOnly(schema, List.of("anyOf"), path);
                List<Integer> branches = new ArrayList<>();
                int number = 0;
                for (JsonNode branch : schema.get("anyOf")) {
                    branches.add(value(branch, path + "/anyOf/" + number++, depth + 1));
                }
                return builder.choice("any of", branches);
            }
            List<Integer> kinds = new ArrayList<>();
            boolean lists = schema.has("enum") || schema.has("const");
            kinds.add(bare(schema, path));
            if (RawStringGrammar.allows(schema, "string")) {
                kinds.add(quoted(strings.of(root, schema, path)));
            }
            if (RawStringGrammar.allows(schema, "object") && !lists) {
                kinds.add(object(schema, path, depth + 1));
            }
            if (RawStringGrammar.allows(schema, "array") && !lists) {
                kinds.add(array(schema, path, depth + 1));
            }
            return builder.choice("value", kinds);
        }

        /** Returns the symbol of nulls, booleans and numbers, which are written as in JSON. */
        private int bare(JsonNode schema, String path) {
            return RawStringGrammar.allows(schema, "null")
                            || RawStringGrammar.allows(schema, "boolean")
                            || RawStringGrammar.allows(schema, "number")
                            || RawStringGrammar.allows(schema, "integer")
                    ? SubschemaGrammar.json(builder, root, schema, path, BARE_TYPES)
                    : builder.nothing();
        }

        int object(JsonNode schema, String path, int depth) {
            ObjectSchema object = ObjectSchema.of(root, schema, path);
            if (object.isFree()) {
                int each =
                        value(
                                object.further().orElseThrow(),
                                path + "/additionalProperties",
                                depth + 1);
                return braced(anyKey(), each);
            }
            List<ObjectSchema.Property> sorted = new ArrayList<>(object.properties());
            sorted.sort(
                    Comparator.comparing(
                            ObjectSchema.Property::key, String.CASE_INSENSITIVE_ORDER));
            List<Member> members = new ArrayList<>();
            for (ObjectSchema.Property property : sorted) {
                members.add(
                        new Member(
                                member(
                                        key(property),
                                        value(property.schema(), property.path(), depth + 1)),
                                property.required()));
            }
            return builder.sequence("object", markup.text("{"), members(members), markup.text("}"));
        }

        private int array(JsonNode schema, String path, int depth) {
            SubschemaGrammar.requireOnly(schema, ARRAY_KEYWORDS, path);
            int least = Math.clamp(schema.path("minItems").asLong(0), 0, Integer.MAX_VALUE);
            int most =
                    Math.clamp(
                            schema.path("maxItems").asLong(Integer.MAX_VALUE),
                            0,
                            Integer.MAX_VALUE);
            if (most < least) {
                throw new GrammarException(path + "/maxItems", "is less than minItems");
            }
            int each = value(schema.path("items"), path + "/items", depth + 1);
            return bracketed(each, least, most);
        }
    }

    /** A member of an object, with its key. */
    private record Member(int symbol, boolean required) {}

    /** Returns the symbol of members in order, with commas between those that are present. */
    private int members(List<Member> members) {
        // After the last member: the empty text, whether a member precedes or not.
        int behindNone = builder.terminal(store.empty());
        int behindSome = behindNone;
        for (Member member : members.reversed()) {
            int first = builder.sequence("members", member.symbol(), behindSome);
            int next = builder.sequence("members", markup.text(","), member.symbol(), behindSome);
            behindNone = member.required() ? first : either(first, behindNone);
            behindSome = member.required() ? next : either(next, behindSome);
        }
        return behindNone;
    }

    private int either(int one, int other) {
        return builder.choice("members", List.of(one, other));
    }

    private int member(int key, int value) {
        return builder.sequence("member", key, markup.text(":"), value);
    }

    private int key(ObjectSchema.Property property) {
        if (!UnquotedTextPatterns.isPlain(property.key())) {
            throw new GrammarException(
                    property.path(), "the tool-call syntax of this model cannot express this name");
        }
        return markup.text(property.key());
    }

    private int anyKey() {
        return builder.terminal(UnquotedTextPatterns.plain(store));
    }

    private int quoted(Regex contents) {
        return builder.sequence("string", quote, builder.terminal(contents), quote);
    }

    private int braced(int key, int value) {
        int member = member(key, value);
        int further = builder.star(builder.sequence("member", markup.text(","), member));
        return builder.sequence(
                "object",
                markup.text("{"),
                builder.optional(builder.sequence("members", member, further)),
                markup.text("}"));
    }

    private int bracketed(int each, int least, int most) {
        if (most == 0) {
            return markup.text("[]");
        }
        int further = builder.sequence("item", markup.text(","), each);
        int rest =
                builder.repeat(
                        further,
                        Math.max(0, least - 1),
                        most == Integer.MAX_VALUE ? most : most - 1);
        int items = builder.sequence("items", each, rest);
        return builder.sequence(
                "array",
                markup.text("["),
                least == 0 ? builder.optional(items) : items,
                markup.text("]"));
    }

    /** Returns the symbol of any value. */
    private int anything() {
        if (anything.isEmpty()) {
            int value = builder.nonterminal("anything");
            anything = OptionalInt.of(value);
            JsonNode all = JsonNodeFactory.instance.objectNode();
            builder.rule(value, SubschemaGrammar.json(builder, all, all, "", BARE_TYPES));
            builder.rule(value, quoted(strings.any()));
            builder.rule(value, bracketed(value, 0, Integer.MAX_VALUE));
            builder.rule(value, freeObject());
        }
        return anything.getAsInt();
    }

    private int freeObject() {
        return braced(anyKey(), anything());
    }
}

package dev.varve.platform.chat;

import dev.varve.api.model.ToolSyntax;
import dev.varve.platform.grammar.GrammarException;
import dev.varve.platform.grammar.cfg.GrammarBuilder;
import dev.varve.platform.grammar.regex.Regex;
import dev.varve.platform.grammar.regex.RegexStore;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;

/**
 * Grammar of the arguments of {@link ToolSyntax.Tagged} calls, such that {@link TaggedCallParser}
 * reads only values that the schema allows: raw strings without the tag that ends a value, other
 * values as JSON. If a text could be a string or another type, {@link ArgumentSchema} decides, and
 * the grammar permits only texts for which it decides on an allowed type.
 */
final class TaggedArgumentsGrammar implements ArgumentsGrammar {
    private static final String[] ALL_TYPES = {
        "null", "boolean", "object", "array", "number", "string"
    };

    private final ToolSyntax.Tagged syntax;
    private final ToolCallSymbols markup;
    private final GrammarBuilder builder;
    private final RegexStore store;
    private final RawStringGrammar strings;
    private final Regex unended;

    TaggedArgumentsGrammar(ToolSyntax.Tagged syntax, ToolCallSymbols markup) {
        this.syntax = syntax;
        this.markup = markup;
        builder = markup.builder();
        store = markup.store();
        strings = new RawStringGrammar(store);
        unended =
                store.and(
                        strings.without(syntax.value().end()),
                        withoutText(syntax.open()),
                        withoutText(syntax.close()));
    }

    /** Returns the pattern of strings without a mark, if it is plain text. */
    private Regex withoutText(String mark) {
        return markup.isSpecial(mark) ? strings.any() : strings.without(mark);
    }

    @Override
    public int of(JsonNode parameters) {
        ObjectSchema object = ObjectSchema.of(parameters, parameters, "");
        List<Integer> parts = new ArrayList<>();
        if (object.isFree()) {
            JsonNode each = object.further().orElseThrow();
            parts.add(
                    builder.star(
                            parameter(
                                    anyKey(),
                                    value(
                                            parameters,
                                            each,
                                            ArgumentSchema.of(parameters).property(""),
                                            "/additionalProperties"))));
        }
        for (ObjectSchema.Property property : object.properties()) {
            int value =
                    value(
                            parameters,
                            property.schema(),
                            ArgumentSchema.of(parameters).property(property.key()),
                            property.path());
            int parameter = parameter(key(property), value);
            parts.add(property.required() ? parameter : builder.optional(parameter));
        }
        return around(parts);
    }

    @Override
    public int any() {
        return around(List.of(builder.star(parameter(anyKey(), builder.terminal(unended)))));
    }

    private int around(List<Integer> parameters) {
        List<Integer> all = new ArrayList<>();
        all.add(markup.text(syntax.afterName()));
        all.addAll(parameters);
        if (!syntax.end().isEmpty()) {
            all.add(markup.tag(syntax.end()));
            all.add(newline());
        }
        return sequence("arguments", all);
    }

    private int key(ObjectSchema.Property property) {
        String key = property.key();
        if (!key.equals(key.strip()) || key.isEmpty() || key.contains(syntax.key().end())) {
            throw new GrammarException(
                    property.path(), "the tool-call syntax of this model cannot express this name");
        }
        return markup.text(key);
    }

    /** Returns the symbol of a name as in programs; no other text can be confused with its end. */
    private int anyKey() {
        return builder.terminal(store.and(strings.any(), UnquotedTextPatterns.plain(store)));
    }

    private int parameter(int key, int value) {
        List<Integer> all = new ArrayList<>();
        all.add(markup.tag(syntax.key().begin()));
        all.add(key);
        all.add(markup.tag(syntax.key().end()));
        boolean newlinesAround = TaggedCallParser.hasNewlinesAround(syntax);
        if (newlinesAround) {
            all.add(markup.text("\n"));
        } else if (!syntax.value().begin().isEmpty()) {
            all.add(newline());
            all.add(markup.tag(syntax.value().begin()));
        }
        all.add(value);
        if (newlinesAround) {
            all.add(markup.text("\n"));
        }
        all.add(markup.tag(syntax.value().end()));
        all.add(newline());
        return sequence("argument", all);
    }

    private int newline() {
        return markup.text(syntax.spacing() == ToolSyntax.Spacing.NONE ? "" : "\n");
    }

    private int sequence(String name, List<Integer> parts) {
        return builder.sequence(name, parts.stream().mapToInt(Integer::intValue).toArray());
    }

    private int value(JsonNode root, JsonNode schema, ArgumentSchema type, String path) {
        if (type.isUnknown()) {
            boolean free = schema.isMissingNode() || schema.isObject() && schema.isEmpty();
            return free
                    ? builder.terminal(unended)
                    : SubschemaGrammar.json(builder, root, schema, path, ALL_TYPES);
        }
        if (!type.isString()) {
            int other =
                    SubschemaGrammar.json(builder, root, schema, path, type.typesBeforeString());
            if (!type.acceptsStrings()) {
                return other;
            }
            Regex texts =
                    store.and(
                            unended,
                            strings.of(root, schema, path),
                            UnquotedTextPatterns.jsonWord(store));
            return builder.choice("value", List.of(other, builder.terminal(texts)));
        }
        Regex texts = store.and(unended, strings.of(root, schema, path));
        if (type.mayBeNull("null")) {
            texts =
                    store.and(
                            texts,
                            store.not(UnquotedTextPatterns.blankAround(store, "null", "None")));
        }
        boolean isNullable =
                RawStringGrammar.allowsNull(root, schema, path) && type.mayBeNull("null");
        return isNullable
                ? builder.choice("value", List.of(builder.terminal(texts), markup.text("null")))
                : builder.terminal(texts);
    }
}

package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.pattern.Formats;
import dev.varve.platform.grammar.pattern.PatternException;
import dev.varve.platform.grammar.pattern.Patterns;
import dev.varve.platform.grammar.pattern.TextRegexBuilder;
import dev.varve.platform.grammar.regex.Regex;

import tools.jackson.databind.JsonNode;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/** Reads the keywords of types, listed values, numbers and strings. */
final class ScalarKeywordReader {
    private final SchemaNormalizer model;
    private final NumberSets numbers;
    private final StringSets strings;
    private final Patterns patterns;
    private final Formats formats;
    private final SchemaOptions options;
    private final Map<String, Regex> searches = new HashMap<>();

    ScalarKeywordReader(SchemaNormalizer model, TextRegexBuilder text, SchemaOptions options) {
        this.model = model;
        numbers = model.numbers();
        strings = model.strings();
        this.options = options;
        patterns = new Patterns(text);
        formats = new Formats(text);
    }

    /** All values of the types that are named. */
    NormalForm types(Subschema site) {
        Algebra algebra = model.algebra();
        JsonNode value = site.node().get("type");
        if (value == null) {
            return algebra.everything();
        }
        if (!value.isArray()) {
            return type(site, value);
        }
        NormalForm any = algebra.nothing();
        for (JsonNode each : value) {
            any = algebra.or(any, type(site, each));
        }
        return any;
    }

    private NormalForm type(Subschema site, JsonNode name) {
        NormalForm all = model.algebra().everything();
        NormalForm none = model.algebra().nothing();
        return switch (name.isString() ? name.stringValue() : "") {
            case "null" -> none.withLiterals(true, false, false);
            case "boolean" -> none.withLiterals(false, true, true);
            case "number" -> none.withNumbers(all.numbers());
            case "integer" -> none.withNumbers(numbers.integers());
            case "string" -> none.withStrings(all.strings());
            case "array" -> none.withArrays(all.arrays());
            case "object" -> none.withObjects(all.objects());
            default ->
                    throw site.refuse(
                            "type",
                            "expected null, boolean, number, integer, string, array or object,"
                                    + " or an array of them");
        };
    }

    /** The values of {@code enum} and {@code const}, if they exist. */
    List<NormalForm> values(Subschema site) {
        List<NormalForm> all = new ArrayList<>();
        site.get("enum")
                .ifPresent(
                        values -> {
                            if (!values.isArray()) {
                                throw site.refuse("enum", "expected an array");
                            }
                            all.add(anyOf(site, "enum", values));
                        });
        site.get("const").ifPresent(value -> all.add(anyOf(site, "const", List.of(value))));
        return all;
    }

    private NormalForm anyOf(Subschema site, String keyword, Iterable<JsonNode> values) {
        Set<String> texts = new LinkedHashSet<>();
        Set<Constant> others = new LinkedHashSet<>();
        for (JsonNode value : values) {
            model.store().budget().spend(10);
            if (!CanonicalLiterals.isUnicode(value)) {
                throw site.refuse(keyword, "has half of a surrogate pair");
            }
            if (value.isString()) {
                texts.add(value.stringValue());
            } else {
                others.add(new Constant(value));
            }
        }
        List<NormalForm> any = new ArrayList<>();
        if (!texts.isEmpty()) {
            any.add(model.algebra().nothing().withStrings(strings.of(texts)));
        }
        others.forEach(
                each -> any.add(number(site, keyword, () -> model.algebra().constant(each))));
        return model.algebra().any(any);
    }

    private static <T> T number(Subschema site, String keyword, Supplier<T> make) {
        try {
            return make.get();
        } catch (IllegalArgumentException e) {
            throw site.refuse(keyword, e.getMessage());
        }
    }

    /** Reads the constraints on numbers. */
    NumberSet numbers(Subschema site) {
        NumberSet all = numbers.everything();
        all =
                bound(
                        site,
                        all,
                        "minimum",
                        value -> numbers.atLeast(value, isExclusive(site, "exclusiveMinimum")));
        all =
                bound(
                        site,
                        all,
                        "maximum",
                        value -> numbers.atMost(value, isExclusive(site, "exclusiveMaximum")));
        if (!isBoolean(site, "exclusiveMinimum")) {
            all = bound(site, all, "exclusiveMinimum", value -> numbers.atLeast(value, true));
        }
        if (!isBoolean(site, "exclusiveMaximum")) {
            all = bound(site, all, "exclusiveMaximum", value -> numbers.atMost(value, true));
        }
        return bound(site, all, "multipleOf", value -> multiples(site, value));
    }

    private NumberSet multiples(Subschema site, BigDecimal value) {
        if (value.signum() <= 0) {
            throw site.refuse("multipleOf", "expected a number above 0");
        }
        return numbers.multiplesOf(value);
    }

    private NumberSet bound(
            Subschema site, NumberSet all, String keyword, Function<BigDecimal, NumberSet> set) {
        return site.number(keyword)
                .map(value -> numbers.and(all, number(site, keyword, () -> set.apply(value))))
                .orElse(all);
    }

    /** In draft 4 the keyword is a flag for another one. */
    private static boolean isExclusive(Subschema site, String keyword) {
        return isBoolean(site, keyword) && site.flag(keyword);
    }

    private static boolean isBoolean(Subschema site, String keyword) {
        return site.get(keyword).filter(JsonNode::isBoolean).isPresent();
    }

    /** Reads the constraints on strings. */
    StringSet strings(Subschema site) {
        int least = site.count("minLength").orElse(0);
        int most = site.count("maxLength").orElse(Integer.MAX_VALUE);
        StringSet all = least > most ? strings.nothing() : strings.ofLength(least, most);
        Optional<String> pattern = site.string("pattern");
        if (pattern.isPresent()) {
            Regex found = search(site, "pattern", pattern.get());
            all = strings.and(all, strings.of(found));
        }
        return options.formats()
                ? strings.and(
                        all,
                        site.string("format")
                                .map(name -> format(site, name))
                                .orElse(strings.everything()))
                : all;
    }

    private StringSet format(Subschema site, String name) {
        if (LooseFormatPatterns.isIrregular(name)) {
            throw site.refuse("format", "the format " + name + " cannot be enforced exactly");
        }
        return formats.of(name)
                .map(inner -> strings.between(inner, patterns.search(LooseFormatPatterns.of(name))))
                .orElse(strings.everything());
    }

    /** The strings, or names, that contain a match of a pattern. */
    Regex search(Subschema site, String keyword, String pattern) {
        return searches.computeIfAbsent(pattern, _ -> compile(site, keyword, pattern));
    }

    private Regex compile(Subschema site, String keyword, String pattern) {
        try {
            return patterns.search(pattern);
        } catch (PatternException e) {
            throw site.refuse(keyword, pattern + ": " + e.getMessage());
        }
    }
}

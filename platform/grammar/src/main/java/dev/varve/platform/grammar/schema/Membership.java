package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.regex.Regex;
import dev.varve.platform.grammar.regex.RegexStore;

import tools.jackson.databind.JsonNode;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

/** Decides whether a value belongs to a formula. */
final class Membership {
    private final SchemaNormalizer model;
    private final RegexStore store;

    Membership(SchemaNormalizer model) {
        this.model = model;
        store = model.store();
    }

    boolean has(Formula formula, JsonNode value) {
        if (formula.isTrue() || formula.isFalse()) {
            return formula.isTrue();
        }
        NormalForm normal = model.normal(formula);
        return switch (value.getNodeType()) {
            case NULL -> normal.isNull();
            case BOOLEAN -> value.booleanValue() ? normal.isTrue() : normal.isFalse();
            case NUMBER -> has(normal.numbers(), value);
            case STRING ->
                    model.strings().matches(normal.strings().contents(), value.stringValue());
            case ARRAY -> normal.arrays().stream().anyMatch(spec -> has(spec, value));
            case OBJECT -> normal.objects().stream().anyMatch(spec -> has(spec, value));
            default -> false;
        };
    }

    /** In draft 4 a number with a fraction is no integer, even if the fraction is 0. */
    private boolean has(NumberSet numbers, JsonNode value) {
        boolean fraction =
                model.dialect() == SchemaEdition.DRAFT_4 && value.isFloatingPointNumber();
        return fits(numbers.plain(), CanonicalLiterals.number(value.decimalValue()))
                && !(fraction && numbers.integers());
    }

    private boolean fits(Regex regex, String text) {
        Regex rest = regex;
        for (byte each : text.getBytes(StandardCharsets.US_ASCII)) {
            rest = store.derive(rest, each & 0xff);
        }
        return rest.isNullable();
    }

    boolean has(ArraySpec spec, JsonNode value) {
        if (value.size() < spec.least() || value.size() > spec.most()) {
            return false;
        }
        for (int i = 0; i < value.size(); i++) {
            if (!has(spec.item(i), value.get(i))) {
                return false;
            }
        }
        return (!spec.unique() || isUnique(value))
                && spec.contains().stream().allMatch(each -> contains(each, value));
    }

    private static boolean isUnique(JsonNode array) {
        Set<Constant> seen = new HashSet<>();
        for (JsonNode item : array) {
            if (!seen.add(new Constant(item))) {
                return false;
            }
        }
        return true;
    }

    private boolean contains(ArraySpec.Containing kind, JsonNode array) {
        int count = 0;
        for (int i = kind.from(); i < array.size(); i++) {
            count += has(kind.item(), array.get(i)) ? 1 : 0;
        }
        return count >= kind.least() && count <= kind.most();
    }

    boolean has(ObjectSpec spec, JsonNode value) {
        if (value.size() < spec.least()
                || value.size() > spec.most()
                || !spec.required().stream().allMatch(value::has)) {
            return false;
        }
        return value.properties().stream()
                        .allMatch(
                                entry ->
                                        has(
                                                model.objects().value(spec, entry.getKey()),
                                                entry.getValue()))
                && spec.witnesses().stream().allMatch(each -> witnesses(each, value));
    }

    private boolean witnesses(PropertyRule witness, JsonNode value) {
        return value.properties().stream()
                .anyMatch(
                        entry ->
                                witness.appliesTo(entry.getKey(), model.strings())
                                        && has(witness.value(), entry.getValue()));
    }
}

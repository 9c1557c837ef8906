package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.GrammarException;
import dev.varve.platform.grammar.regex.RegexStore;

import tools.jackson.databind.JsonNode;

import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Writes values as compact texts that belong to the grammar of a schema: properties in its order,
 * strings with only the necessary escapes, numbers without exponents. For one thread at a time.
 */
public final class CanonicalJsonWriter {
    private final SchemaNormalizer model;
    private final Membership membership;
    private final boolean fractions;

    /**
     * @param schema as {@link SchemaCompiler#compile} accepts it
     * @param store its budget is charged for the work
     * @throws GrammarException as the compiler does
     */
    public CanonicalJsonWriter(JsonNode schema, RegexStore store, SchemaOptions options) {
        model = new SchemaNormalizer(schema, store, options);
        membership = new Membership(model);
        fractions = model.dialect() == SchemaEdition.DRAFT_4;
    }

    /** Writes a value as text. The properties of an invalid value may be in any order. */
    public String of(JsonNode value) {
        StringBuilder text = new StringBuilder();
        write(model.root(), value, text);
        return text.toString();
    }

    private void write(Formula formula, JsonNode value, StringBuilder text) {
        if (value.isObject()) {
            writeObject(formula, value, text);
        } else if (value.isArray()) {
            writeArray(formula, value, text);
        } else if (value.isNumber()) {
            text.append(number(value));
        } else {
            text.append(
                    value.isString()
                            ? CanonicalLiterals.quoted(value.stringValue())
                            : value.toString());
        }
    }

    /** In draft 4 a number with a fraction is no integer, even if the fraction is 0. */
    private String number(JsonNode value) {
        String text = CanonicalLiterals.number(value.decimalValue());
        return fractions && value.isFloatingPointNumber() && text.indexOf('.') < 0
                ? text + ".0"
                : text;
    }

    private void writeArray(Formula formula, JsonNode value, StringBuilder text) {
        Optional<ArraySpec> spec =
                model.normal(formula).arrays().stream()
                        .filter(each -> membership.has(each, value))
                        .findFirst();
        text.append('[');
        for (int i = 0; i < value.size(); i++) {
            text.append(i == 0 ? "" : ",");
            int place = i;
            Formula item = spec.map(each -> each.item(place)).orElse(model.formulas().everything());
            write(item, value.get(i), text);
        }
        text.append(']');
    }

    private void writeObject(Formula formula, JsonNode value, StringBuilder text) {
        Optional<ObjectSpec> spec =
                model.normal(formula).objects().stream()
                        .filter(each -> membership.has(each, value))
                        .findFirst();
        Set<String> names = new LinkedHashSet<>();
        spec.ifPresent(each -> names.addAll(each.declared()));
        names.addAll(value.propertyNames());
        text.append('{');
        for (String name : names) {
            if (value.has(name)) {
                text.append(text.charAt(text.length() - 1) == '{' ? "" : ",");
                text.append(CanonicalLiterals.quoted(name)).append(':');
                Formula property =
                        spec.map(each -> model.objects().value(each, name))
                                .orElse(model.formulas().everything());
                write(property, value.get(name), text);
            }
        }
        text.append('}');
    }
}

package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.GrammarException;
import dev.varve.platform.grammar.pattern.StringEscaping;
import dev.varve.platform.grammar.pattern.TextRegexBuilder;
import dev.varve.platform.grammar.regex.GrammarLimitException;
import dev.varve.platform.grammar.regex.RegexStore;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Computes the normal form of formulas, each once. For one thread at a time.
 *
 * <p>The parts of arrays and objects are formulas again, whose forms are computed on demand, so
 * recursive schemas need no special handling.
 */
final class SchemaNormalizer {
    private static final int MOST_DEPTH = 150;
    private static final List<String> REFERENCES = List.of("$ref", "$dynamicRef", "$recursiveRef");

    private final RegexStore store;
    private final Document document;
    private final FormulaStore formulas;
    private final NumberSets numbers;
    private final StringSets strings;
    private final ObjectAlgebra objects;
    private final Algebra algebra;
    private final FormulaEmptinessCheck emptiness;
    private final SchemaReader reader;
    private final Formula root;
    private final Map<Formula, NormalForm> known = new HashMap<>();
    private final Set<Formula> open = new HashSet<>();

    SchemaNormalizer(JsonNode schema, RegexStore store, SchemaOptions options) {
        this.store = store;
        document = new Document(SchemaPreprocessor.normal(schema), store.budget());
        formulas = new FormulaStore(store.budget());
        TextRegexBuilder text = new TextRegexBuilder(store, StringEscaping.JSON);
        numbers = new NumberSets(store);
        strings = new StringSets(store, text);
        emptiness = new FormulaEmptinessCheck(this);
        objects = new ObjectAlgebra(this);
        algebra = new Algebra(this);
        reader = new SchemaReader(this, text, options);
        root = formulas.of(document.root());
    }

    RegexStore store() {
        return store;
    }

    FormulaStore formulas() {
        return formulas;
    }

    NumberSets numbers() {
        return numbers;
    }

    StringSets strings() {
        return strings;
    }

    ObjectAlgebra objects() {
        return objects;
    }

    Algebra algebra() {
        return algebra;
    }

    FormulaEmptinessCheck emptiness() {
        return emptiness;
    }

    SchemaEdition dialect() {
        return document.dialect();
    }

    /** Returns whether any schema uses unevaluated items or properties. */
    boolean tracksEvaluation() {
        return document.tracksEvaluation();
    }

    /** The whole schema. */
    Formula root() {
        return root;
    }

    /**
     * Returns the values of a formula.
     *
     * @throws GrammarException if they cannot be expressed exactly, or a schema is malformed
     * @throws GrammarLimitException if it is too large
     */
    NormalForm normal(Formula formula) {
        try {
            return normalOf(formula);
        } catch (OpenException e) {
            if (open.isEmpty()) {
                throw new GrammarException(
                        OffendingKeyword.path(formula, REFERENCES), "the schema refers to itself");
            }
            throw e;
        }
    }

    private NormalForm normalOf(Formula formula) {
        NormalForm normal = known.get(formula);
        if (normal == null) {
            if (open.size() >= MOST_DEPTH) {
                throw new GrammarLimitException(
                        "the schema is too complex: more than "
                                + MOST_DEPTH
                                + " schemas apply to a value within each other");
            }
            if (!open.add(formula)) {
                throw new OpenException();
            }
            try {
                normal = find(formula);
            } catch (InexactException e) {
                throw new GrammarException(
                        OffendingKeyword.path(formula, e.keywords()),
                        "the schema " + e.getMessage());
            } finally {
                open.remove(formula);
            }
            known.put(formula, normal);
        }
        return normal;
    }

    /**
     * Returns whether so many forms are being computed at once that optional requests should be
     * avoided.
     */
    boolean isDeep() {
        return open.size() > MOST_DEPTH / 2;
    }

    /** The form of a formula was requested while it is being computed. */
    static final class OpenException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private NormalForm find(Formula formula) {
        return switch (formula.kind) {
            case TRUE -> algebra.everything();
            case FALSE -> algebra.nothing();
            case SITE -> reader.read((Subschema) formula.subject);
            case CONSTANT -> algebra.constant((Constant) formula.subject);
            case NOT -> algebra.not(normal(formula.parts[0]));
            case ALL_OF -> {
                NormalForm all = algebra.everything();
                for (Formula part : formula.parts) {
                    all = algebra.and(all, normal(part));
                }
                yield all;
            }
            case ANY_OF -> {
                List<NormalForm> any = new ArrayList<>();
                for (Formula part : formula.parts) {
                    any.add(normal(part));
                }
                yield algebra.any(any);
            }
        };
    }
}

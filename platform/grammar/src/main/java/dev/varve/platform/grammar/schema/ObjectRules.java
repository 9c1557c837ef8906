package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.cfg.GrammarBuilder;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

/** Writes the rules of objects. */
final class ObjectRules {
    private static final int MOST_WITNESSES = 6;

    private final SchemaNormalizer model;
    private final GrammarBuilder builder;
    private final Punctuation punctuation;
    private final ToIntFunction<Formula> symbols;
    private final boolean anyOrder;

    /**
     * @param symbols symbols of the formulas that values of properties must meet
     * @param anyOrder whether properties may come in any order
     */
    ObjectRules(
            SchemaNormalizer model,
            GrammarBuilder builder,
            Punctuation punctuation,
            ToIntFunction<Formula> symbols,
            boolean anyOrder) {
        this.model = model;
        this.builder = builder;
        this.punctuation = punctuation;
        this.symbols = symbols;
        this.anyOrder = anyOrder;
    }

    /** Writes the alternatives of a symbol. */
    void define(int symbol, ObjectSpec spec) {
        for (ObjectSpec resolved : model.objects().resolve(spec)) {
            if (!model.emptiness().isEmpty(resolved)) {
                write(symbol, plan(resolved));
            }
        }
    }

    private void write(int symbol, ObjectSymbols plan) {
        if (plan.isOpen() && plan.least() > plan.required() + 1) {
            throw new InexactException(
                    "requires "
                            + plan.least()
                            + " properties with names that it does not list, and repeated names"
                            + " cannot be excluded",
                    "minProperties",
                    "required");
        }
        if (plan.witnesses() > MOST_WITNESSES) {
            throw new InexactException(
                    "requires too many kinds of properties with names that it does not list",
                    ObjectAlgebra.EXCLUDING);
        }
        if (anyOrder) {
            new UnorderedObject(builder, punctuation, plan).write(symbol);
        } else {
            new OrderedObject(builder, punctuation, plan, symbol).write();
        }
    }

    private ObjectSymbols plan(ObjectSpec spec) {
        List<ObjectSymbols.Property> properties = new ArrayList<>();
        for (String name : spec.declared()) {
            Formula value = model.objects().value(spec, name);
            if (!model.emptiness().isEmpty(value)) {
                properties.add(
                        new ObjectSymbols.Property(
                                punctuation.firstName(punctuation.quoted(name)),
                                punctuation.nextName(punctuation.quoted(name)),
                                symbols.applyAsInt(value),
                                spec.required().contains(name)));
            }
        }
        List<ObjectSymbols.Further> further = new ArrayList<>();
        for (NameClasses.NameClass names : model.objects().classes(spec)) {
            further.add(further(spec, names));
        }
        return new ObjectSymbols(
                properties,
                further,
                spec.witnesses().size(),
                spec.least(),
                spec.most(),
                punctuation.empty("{}"));
    }

    private ObjectSymbols.Further further(ObjectSpec spec, NameClasses.NameClass names) {
        int value = symbols.applyAsInt(names.value());
        int met = 0;
        for (int number : names.witnesses()) {
            met |= meets(names, spec.witnesses().get(number)) ? 1 << number : 0;
        }
        return new ObjectSymbols.Further(
                builder.sequence(
                        "first", punctuation.firstName(punctuation.quoted(names.names())), value),
                builder.sequence(
                        "next", punctuation.nextName(punctuation.quoted(names.names())), value),
                met);
    }

    /**
     * If a name occurs twice, the last value counts, so all values of the class must meet the
     * constraint.
     */
    private boolean meets(NameClasses.NameClass names, PropertyRule witness) {
        FormulaStore formulas = model.formulas();
        Formula fails = formulas.all(names.value(), formulas.not(witness.value()));
        if (model.emptiness().isEmpty(fails)) {
            return true;
        }
        if (model.emptiness().isEmpty(formulas.all(names.value(), witness.value()))) {
            return false;
        }
        throw new InexactException(
                "requires a value of a property with a name that it does not list, and repeated"
                        + " names cannot be excluded",
                ObjectAlgebra.EXCLUDING);
    }
}

package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.GrammarException;
import dev.varve.platform.grammar.cfg.GrammarBuilder;
import dev.varve.platform.grammar.regex.Regex;
import dev.varve.platform.grammar.regex.RegexStore;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes the rules of formulas, each once. Rules of arrays and objects are deferred until they are
 * known to be needed, so that recursive schemas terminate and deep ones need no stack.
 */
final class ValueRules {
    private final SchemaNormalizer model;
    private final GrammarBuilder builder;
    private final RegexStore store;
    private final ObjectRules objects;
    private final ArrayRules arrays;
    private final Map<Formula, Integer> symbols = new HashMap<>();
    private final Map<Object, Integer> specs = new HashMap<>();
    private final Deque<Runnable> open = new ArrayDeque<>();

    ValueRules(SchemaNormalizer model, GrammarBuilder builder, SchemaOptions options) {
        this.model = model;
        this.builder = builder;
        store = builder.store();
        Punctuation punctuation = new Punctuation(builder, model.strings(), options.whitespace());
        objects = new ObjectRules(model, builder, punctuation, this::symbol, options.anyOrder());
        arrays = new ArrayRules(model, builder, punctuation, this::symbol);
    }

    /** The symbol of a formula with all its rules. */
    int compile(Formula root) {
        int symbol = symbol(root);
        while (!open.isEmpty()) {
            open.pop().run();
        }
        return symbol;
    }

    /** The symbol of a formula, whose rules are written later. */
    int symbol(Formula formula) {
        Integer known = symbols.get(formula);
        if (known == null) {
            known = value(model.normal(formula), formula);
            symbols.put(formula, known);
        }
        return known;
    }

    private int value(NormalForm normal, Formula origin) {
        List<Integer> choices = new ArrayList<>();
        Regex scalars = scalars(normal);
        if (!scalars.isNothing()) {
            choices.add(builder.terminal(scalars));
        }
        for (ArraySpec spec : normal.arrays()) {
            choices.add(later(spec, origin, symbol -> arrays.define(symbol, spec)));
        }
        for (ObjectSpec spec : normal.objects()) {
            choices.add(later(spec, origin, symbol -> objects.define(symbol, spec)));
        }
        return choices.isEmpty() ? builder.nothing() : builder.choice("value", choices);
    }

    /** Joins the scalars to one expression, so that the rules are few. */
    private Regex scalars(NormalForm normal) {
        List<Regex> all = new ArrayList<>();
        if (normal.isNull()) {
            all.add(store.literal("null"));
        }
        if (normal.isTrue()) {
            all.add(store.literal("true"));
        }
        if (normal.isFalse()) {
            all.add(store.literal("false"));
        }
        if (!normal.numbers().isNothing()) {
            all.add(model.numbers().texts(normal.numbers()));
        }
        if (!normal.strings().isNothing()) {
            all.add(model.strings().texts(normal.strings()));
        }
        return store.or(all);
    }

    /** Writes the alternatives of a symbol. */
    private interface Definition {
        void write(int symbol);
    }

    private int later(Object spec, Formula origin, Definition definition) {
        Integer known = specs.get(spec);
        if (known == null) {
            int symbol = builder.nonterminal("schema " + origin.path());
            specs.put(spec, symbol);
            open.push(() -> write(symbol, origin, definition));
            known = symbol;
        }
        return known;
    }

    private static void write(int symbol, Formula origin, Definition definition) {
        try {
            definition.write(symbol);
        } catch (InexactException e) {
            throw new GrammarException(
                    OffendingKeyword.path(origin, e.keywords()),
                    "cannot be enforced exactly: it " + e.getMessage());
        }
    }
}

package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.cfg.GrammarBuilder;

import java.util.function.ToIntFunction;

/** Writes the rules of arrays. */
final class ArrayRules {
    private static final int UNLIMITED = Integer.MAX_VALUE;

    private final SchemaNormalizer model;
    private final GrammarBuilder builder;
    private final Punctuation punctuation;
    private final ToIntFunction<Formula> symbols;

    /**
     * @param symbols symbols of the formulas that items must meet
     */
    ArrayRules(
            SchemaNormalizer model,
            GrammarBuilder builder,
            Punctuation punctuation,
            ToIntFunction<Formula> symbols) {
        this.model = model;
        this.builder = builder;
        this.punctuation = punctuation;
        this.symbols = symbols;
    }

    /** Writes the alternatives of a symbol. */
    void define(int symbol, ArraySpec asked) {
        ArraySpec spec = bounded(asked);
        if (model.emptiness().isEmpty(spec)) {
            return;
        }
        if (spec.least() == 0 && spec.contains().stream().allMatch(each -> each.least() == 0)) {
            builder.rule(symbol, punctuation.empty("[]"));
        }
        if (spec.most() == 0) {
            return;
        }
        if (spec.unique() && spec.most() > 1) {
            new UniqueArray(model, builder, punctuation, spec).write(symbol);
        } else if (spec.contains().isEmpty()) {
            writePlain(symbol, spec);
        } else {
            new CountedArray(model, builder, punctuation, symbols, spec).write(symbol);
        }
    }

    /** Removes positions at which no item can be. */
    private ArraySpec bounded(ArraySpec spec) {
        for (int i = 0; i < spec.prefix().size() && i < spec.most(); i++) {
            if (model.emptiness().isEmpty(spec.prefix().get(i))) {
                return spec.withCount(spec.least(), i);
            }
        }
        return model.emptiness().isEmpty(spec.rest())
                ? spec.withCount(spec.least(), Math.min(spec.most(), spec.prefix().size()))
                : spec;
    }

    private void writePlain(int symbol, ArraySpec spec) {
        int close = punctuation.close("]");
        int places = Math.min(spec.prefix().size(), spec.most());
        int before = punctuation.open("[");
        for (int i = 0; i < places; i++) {
            int item = symbols.applyAsInt(spec.prefix().get(i));
            before =
                    i == 0
                            ? builder.sequence("items", before, item)
                            : builder.sequence("items", before, punctuation.comma(), item);
            if (i + 1 >= spec.least()) {
                builder.rule(symbol, before, close);
            }
        }
        if (spec.most() > places) {
            writeRest(symbol, spec, places, before, close);
        }
    }

    private void writeRest(int symbol, ArraySpec spec, int places, int before, int close) {
        int item = symbols.applyAsInt(spec.rest());
        int next = builder.sequence("item", punctuation.comma(), item);
        int least = Math.max(1, spec.least() - places);
        int most = spec.most() == UNLIMITED ? UNLIMITED : spec.most() - places;
        if (places > 0) {
            builder.rule(symbol, before, builder.repeat(next, least, most), close);
        } else if (most == 1) {
            builder.rule(symbol, before, item, close);
        } else {
            int further = most == UNLIMITED ? UNLIMITED : most - 1;
            builder.rule(symbol, before, item, builder.repeat(next, least - 1, further), close);
        }
    }
}

package dev.varve.platform.speculation;

import dev.varve.api.speculation.SpeculationTarget;
import dev.varve.api.speculation.Speculator;
import dev.varve.api.speculation.SpeculatorProvider;

/** Creates {@link NgramSpeculator}s, which draft for any model. */
public final class NgramProvider implements SpeculatorProvider {
    /** Name that selects it. */
    public static final String NAME = "ngram";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Speculator open(SpeculationTarget target) {
        return new NgramSpeculator(target.limits().draftTokens());
    }
}

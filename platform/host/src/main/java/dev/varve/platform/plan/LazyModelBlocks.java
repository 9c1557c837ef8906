package dev.varve.platform.plan;

import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.placement.TensorRules;

import java.util.Optional;
import java.util.function.Supplier;

/**
 * Blocks of a model, computed when they are first needed: only an automatic split over several
 * devices and its measurements need them. Thread-safe.
 */
public final class LazyModelBlocks implements Supplier<ModelBlocks> {
    private final LayerSplitAdapter model;
    private final TensorRules rules;
    private Optional<ModelBlocks> blocks = Optional.empty();

    /**
     * @throws IllegalArgumentException if a rule does not fit the model
     */
    public LazyModelBlocks(LayerSplitAdapter model, TensorRules rules) {
        this.model = model;
        this.rules = rules;
        rules.devices(model);
    }

    @Override
    public synchronized ModelBlocks get() {
        ModelBlocks found = blocks.orElseGet(() -> ModelBlocks.of(model, rules));
        blocks = Optional.of(found);
        return found;
    }
}

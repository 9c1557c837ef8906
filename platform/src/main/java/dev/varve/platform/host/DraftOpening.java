package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.api.speculation.SpeculationTarget;
import dev.varve.api.speculation.Speculator;
import dev.varve.api.speculation.SpeculatorProvider;
import dev.varve.platform.engine.SpeculationOptions;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.runtime.Computation;
import dev.varve.platform.runtime.DraftRoom;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.OpenedModel;
import dev.varve.platform.runtime.RangeMemory;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.ExactRows;

import java.util.Optional;

/** Opens what guesses the tokens of a model, before the model is loaded. */
final class DraftOpening {
    private final DraftSettings draft;
    private final PluginCatalog catalog;
    private final OpenedModel model;
    private final ModelSettings settings;

    DraftOpening(
            DraftSettings draft, PluginCatalog catalog, OpenedModel model, ModelSettings settings) {
        this.draft = draft;
        this.catalog = catalog;
        this.model = model;
        this.settings = settings;
    }

    /**
     * Opens it.
     *
     * @throws VarveException of kind INVALID_REQUEST if it does not fit the model, of others if its
     *     file cannot be used
     * @throws IllegalArgumentException that begins with a setting if settings contradict each other
     */
    SpeculationOptions open() {
        requireExactRows();
        requireOwnState();
        int most = draft.most().orElse(DraftSettings.USUAL_MOST);
        Speculator speculator = provider().open(target(most));
        return new SpeculationOptions(
                speculator, Math.min(most, speculator.mostTokens()), draft.width());
    }

    private SpeculatorProvider provider() {
        Optional<SpeculatorProvider> named =
                Optional.ofNullable(catalog.speculators().get(draft.source()));
        if (named.isEmpty()) {
            throw new IllegalArgumentException(
                    Setting.DRAFT
                            + ": expected one of "
                            + catalog.speculators().keySet()
                            + ", found "
                            + draft.source());
        }
        if (draft.device().isPresent()) {
            throw new IllegalArgumentException(
                    Setting.DRAFT_DEVICE
                            + ": for draft models, and "
                            + Setting.DRAFT
                            + " "
                            + draft.source()
                            + " has none");
        }
        return named.get();
    }

    private SpeculationTarget target(int most) {
        return new SpeculationTarget(
                model.file(),
                model.shape(),
                new SpeculationTarget.Limits(
                        RangeMemory.contextTokens(model.shape(), settings),
                        settings.sequences().parallel(),
                        most));
    }

    /** Guesses are checked several at a time, and must get the numbers that each has alone. */
    private void requireExactRows() {
        if (settings.computation().numerics().exactRows() == ExactRows.OFF) {
            throw new IllegalArgumentException(
                    Setting.EXACT_ROWS
                            + ": off makes a token's numbers depend on what is computed with it, so"
                            + " that guesses would change answers; see "
                            + Setting.DRAFT);
        }
    }

    private void requireOwnState() {
        ModelShape shape = model.shape();
        for (int layer = 0; layer < shape.layerCount(); layer++) {
            if (shape.layers().get(layer) instanceof LayerState.Custom own
                    && !own.parts().isEmpty()) {
                throw new VarveException(
                        VarveException.Kind.INVALID_REQUEST,
                        Setting.DRAFT
                                + ": layer "
                                + layer
                                + " of "
                                + model.file().path()
                                + " keeps a state of its family's own, from which guesses cannot be"
                                + " taken back");
            }
        }
    }

    /** What the shards must be loaded with. */
    static ModelSettings settings(ModelSettings settings, SpeculationOptions options) {
        Computation computation = settings.computation();
        return settings.with(computation.with(ExactRows.ON))
                .with(new DraftRoom(options.most(), options.speculator().captures()));
    }
}

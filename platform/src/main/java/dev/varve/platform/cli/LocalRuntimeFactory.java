package dev.varve.platform.cli;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.TeacherForcing.LogitsSink;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.plan.LocalDeviceProbe;
import dev.varve.platform.plan.SplitPlanner;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.MemoryPlan;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SplitPlan;
import dev.varve.platform.tokenizer.Tokenizer;

/** Loads models in this process, with the plugins of the installation. */
final class LocalRuntimeFactory implements RuntimeFactory {
    private record LocalRuntime(
            LoadedModel model,
            Placement placement,
            PlacedShards shards,
            Tokenizer tokenizer,
            double loadMillis)
            implements ModelRuntime {
        @Override
        public GgufFile file() {
            return model.file();
        }

        @Override
        public LayerSplitAdapter adapter() {
            return model.adapter();
        }

        @Override
        public Engine engine() {
            return model.engine();
        }

        @Override
        public MemoryPlan plan() {
            return model.plan();
        }

        @Override
        public int threads() {
            return shards.threads();
        }

        @Override
        public void logits(int[] tokens, LogitsSink sink) {
            model.logits(tokens, sink);
        }

        @Override
        public void close() {
            try (shards) {
                model.close();
            }
        }
    }

    @Override
    public ModelRuntime open(
            ModelArguments arguments,
            ModelSettings settings,
            Environment environment,
            LoadWatcher watcher) {
        long begin = System.nanoTime();
        PreparedModel prepared = PreparedModel.open(arguments, settings, environment);
        Tokenizer tokenizer =
                Tokenizer.of(prepared.file().metadata(), prepared.family().preTokenizers());
        watcher.opened(prepared.file(), tokenizer);
        PlacedShards shards = new PlacedShards(prepared);
        try {
            SplitPlanner.Placed placed =
                    prepared.planner(LocalDeviceProbe.Age.ANY, shards).place(prepared.request());
            SplitPlan plan =
                    SplitPlan.of(prepared.adapter(), placed.placement(), shards::info, settings);
            watcher.planned(plan, placed.reasons());
            LoadedModel model =
                    LoadedModel.load(
                            prepared.file(), prepared.adapter(), plan, shards, settings, watcher);
            return new LocalRuntime(
                    model,
                    placed.placement(),
                    shards,
                    tokenizer,
                    (System.nanoTime() - begin) / 1e6);
        } catch (RuntimeException | Error e) {
            shards.close();
            throw e;
        }
    }
}

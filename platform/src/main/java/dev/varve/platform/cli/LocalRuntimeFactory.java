package dev.varve.platform.cli;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.TeacherForcing.LogitsSink;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.plan.LocalDeviceProbe;
import dev.varve.platform.plan.SplitPlanner;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.MemoryPlan;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.shard.LoadProgress;
import dev.varve.platform.tokenizer.Tokenizer;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** Loads models in this process, with the plugins of the installation. */
final class LocalRuntimeFactory implements RuntimeFactory {
    private static final Logger LOG = System.getLogger(LocalRuntimeFactory.class.getName());

    private record LocalRuntime(
            LoadedModel model,
            Placement placement,
            ComputeDevice device,
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
            return device.threads(Phase.DECODE);
        }

        @Override
        public void logits(int[] tokens, LogitsSink sink) {
            model.logits(tokens, sink);
        }

        @Override
        public void close() {
            try (device) {
                model.close();
            }
        }
    }

    @Override
    public ModelRuntime open(
            ModelArguments arguments,
            ModelSettings settings,
            Environment environment,
            LoadProgress progress) {
        long begin = System.nanoTime();
        PreparedModel prepared = PreparedModel.open(arguments, settings, environment);
        Tokenizer tokenizer = Tokenizer.of(prepared.file().metadata());
        requireOneLocalDevice(prepared.request());
        SplitPlanner.Placed placed =
                prepared.planner(LocalDeviceProbe.Age.ANY).place(prepared.request());
        placed.reasons().forEach(reason -> LOG.log(Level.INFO, reason));
        ComputeDevice device =
                prepared.backends()
                        .openDevice(prepared.request().primary(), arguments.deviceOptions());
        try {
            LoadedModel model =
                    LoadedModel.load(
                            prepared.file(),
                            prepared.adapter(),
                            device,
                            settings,
                            placed.placement().parts().stream().map(Placement.Part::range).toList(),
                            progress,
                            plan ->
                                    LOG.log(
                                            Level.DEBUG,
                                            () -> plan.describe(device.info().name())));
            return new LocalRuntime(
                    model,
                    placed.placement(),
                    device,
                    tokenizer,
                    (System.nanoTime() - begin) / 1e6);
        } catch (RuntimeException | Error e) {
            device.close();
            throw e;
        }
    }

    private static void requireOneLocalDevice(PlacementRequest request) {
        if (!request.devices().stream()
                .allMatch(item -> item.equals(request.primary()) && item.isLocal())) {
            throw new UsageException(
                    "--target-devices: a model is loaded on one device of this process only, found "
                            + request.devices());
        }
    }
}

package dev.varve.platform.cli;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.TeacherForcing.LogitsSink;
import dev.varve.platform.placement.LayerRanges;
import dev.varve.platform.placement.LocalBackends;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.SplitRule;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.MemoryPlan;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.shard.LoadProgress;
import dev.varve.platform.tokenizer.Tokenizer;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;

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
        PlacementRequest asked = arguments.placement().request();
        // The file first: most mistakes are in its name, and they need no plugin to be found.
        GgufFile file = GgufFile.open(arguments.model());
        PluginCatalog catalog = arguments.plugins().discover(environment);
        catalog.rejected()
                .forEach(
                        plugin ->
                                LOG.log(
                                        Level.WARNING,
                                        "plugin {0} is not used: {1}",
                                        plugin.file().getFileName(),
                                        plugin.reason()));
        arguments.placement().notes().forEach(note -> LOG.log(Level.WARNING, note));
        ModelFamilyProvider family = catalog.family(file.architecture(), file.path());
        Tokenizer tokenizer = Tokenizer.of(file.metadata());
        LocalBackends backends =
                new LocalBackends(
                        catalog.backends(),
                        arguments.plugins().backendOptions(environment, asked.peerAccess()));
        PlacementRequest request = asked.resolve(backends::best);
        arguments.placement().draft().requireFits(request);
        requireOneLocalDevice(request);
        LayerSplitAdapter adapter = family.open(file, settings.model());
        List<LayerRange> ranges = ranges(adapter, request);
        ComputeDevice device = backends.openDevice(request.primary(), arguments.deviceOptions());
        try {
            LoadedModel model =
                    LoadedModel.load(
                            file,
                            adapter,
                            device,
                            settings,
                            ranges,
                            progress,
                            plan ->
                                    LOG.log(
                                            Level.DEBUG,
                                            () -> plan.describe(device.info().name())));
            return new LocalRuntime(
                    model,
                    Placement.of(request.devices(), ranges),
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

    private static List<LayerRange> ranges(LayerSplitAdapter adapter, PlacementRequest request) {
        List<Double> weights =
                switch (request.split()) {
                    case SplitRule.Weights(var values) -> values;
                    // Equal devices have equal shares.
                    case SplitRule.Equal(), SplitRule.Automatic() -> List.of();
                };
        LayerRanges.Aligned aligned =
                LayerRanges.align(
                        adapter,
                        LayerRanges.split(
                                adapter.shape().layerCount(), request.devices().size(), weights));
        aligned.moved().ifPresent(note -> LOG.log(Level.INFO, note));
        return aligned.ranges();
    }
}

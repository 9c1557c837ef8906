package dev.varve.platform.cli;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.TeacherForcing.LogitsSink;
import dev.varve.platform.plugin.PluginCatalog;
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
            LoadedModel model, ComputeDevice device, Tokenizer tokenizer, double loadMillis)
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
        ModelFamilyProvider family = catalog.family(file.architecture(), file.path());
        Tokenizer tokenizer = Tokenizer.of(file.metadata());
        ComputeDevice device =
                catalog.backend(arguments.device().backend())
                        .open(arguments.plugins().backendOptions(environment))
                        .open(arguments.device().index(), arguments.deviceOptions());
        try {
            LoadedModel model =
                    LoadedModel.load(
                            file,
                            family,
                            device,
                            settings,
                            progress,
                            plan ->
                                    LOG.log(
                                            Level.DEBUG,
                                            () -> plan.describe(device.info().name())));
            return new LocalRuntime(model, device, tokenizer, (System.nanoTime() - begin) / 1e6);
        } catch (RuntimeException | Error e) {
            device.close();
            throw e;
        }
    }
}

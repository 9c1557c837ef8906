package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.LocalBackends;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.plan.LocalDeviceProbe;
import dev.varve.platform.plan.ModelBlocks;
import dev.varve.platform.plan.ProbeCache;
import dev.varve.platform.plan.SplitPlanner;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.UnusedTensors;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/**
 * A model file, its family and the devices asked for, before anything is loaded.
 *
 * @param request with {@code auto} resolved
 */
record PreparedModel(
        ModelArguments arguments,
        ModelSettings settings,
        Environment environment,
        PluginCatalog catalog,
        GgufFile file,
        LayerSplitAdapter adapter,
        LocalBackends backends,
        PlacementRequest request) {
    private static final Logger LOG = System.getLogger(PreparedModel.class.getName());

    /** Folder of measurements in the cache folder. */
    private static final String PROBES = "probes";

    static PreparedModel open(
            ModelArguments arguments, ModelSettings settings, Environment environment) {
        PlacementRequest asked = arguments.placement().request();
        // The file first: most mistakes are in its name, and they need no plugin to be found.
        GgufFile file = GgufFile.open(arguments.model().choose(environment).file());
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
        LayerSplitAdapter adapter =
                catalog.family(file.architecture(), file.path()).open(file, settings.model());
        UnusedTensors unused = UnusedTensors.of(file, adapter);
        unused.warning().ifPresent(warning -> LOG.log(Level.WARNING, warning));
        unused.notes().forEach(note -> LOG.log(Level.INFO, note));
        LocalBackends backends =
                new LocalBackends(
                        catalog.backends(),
                        arguments.plugins().backendOptions(environment, asked.peerAccess()));
        PlacementRequest request = asked.resolve(backends::best);
        DraftFlags draft = arguments.placement().draft();
        draft.requireFits(request);
        draft.requireProvided(backends::provides);
        request.devices().stream()
                .filter(DeviceReference::isLocal)
                .forEach(
                        device ->
                                requireProvided(
                                        catalog,
                                        request.isSplit() ? "--target-devices" : "--target-device",
                                        device));
        arguments.placement().shardGgmlHome();
        return new PreparedModel(
                arguments, settings, environment, catalog, file, adapter, backends, request);
    }

    /** The plugin's side of the model. */
    ModelFamilyProvider family() {
        return catalog.family(file.architecture(), file.path());
    }

    /** The catalog's message also tells which plugins are refused and why. */
    private static void requireProvided(
            PluginCatalog catalog, String flag, DeviceReference device) {
        try {
            catalog.backend(device.backend());
        } catch (VarveException e) {
            throw new UsageException(flag + ": " + device + ": " + e.getMessage());
        }
    }

    /** Decides on the layers of each device. */
    SplitPlanner planner(LocalDeviceProbe.Age age, PlacedShards shards) {
        ModelBlocks blocks = ModelBlocks.of(adapter);
        LocalDeviceProbe local =
                new LocalDeviceProbe(
                        file,
                        adapter,
                        blocks,
                        backends,
                        arguments.deviceOptions(),
                        settings,
                        new ProbeCache(environment.cacheFolder().resolve(PROBES)),
                        age,
                        note -> LOG.log(Level.INFO, note));
        return new SplitPlanner(
                adapter,
                blocks,
                settings,
                shards::info,
                new PlacedProbe(this, shards, local, note -> LOG.log(Level.INFO, note)));
    }
}

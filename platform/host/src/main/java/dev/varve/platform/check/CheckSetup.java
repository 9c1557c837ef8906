package dev.varve.platform.check;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.host.DeviceSettings;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.PluginSettings;
import dev.varve.platform.host.ShardProcessSettings;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.LocalBackends;
import dev.varve.platform.placement.PeerAccess;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.SplitRule;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.shard.OpenedModel;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Plugins, models and processes that all checks use.
 *
 * @param plugins loaded, so that all checks use the same backends
 * @param processes how shard processes are started; without a command, checks that need one are
 *     skipped
 * @param models the first one is used where one is enough
 * @param groups groups to run
 * @param threads threads of the processor; empty: its cores
 * @param steps receives the steps of checks
 * @param folder for files of checks
 */
public record CheckSetup(
        PluginSettings plugins,
        ShardProcessSettings processes,
        List<CheckedModel> models,
        CheckEffort effort,
        Set<CheckGroup> groups,
        OptionalInt threads,
        CheckSteps steps,
        Path folder) {
    /** The device whose results are expected from all others. */
    static final String PROCESSOR = DeviceReference.PROCESSOR.toString();

    /** Copies the list. */
    public CheckSetup {
        Objects.requireNonNull(plugins);
        Objects.requireNonNull(processes);
        Objects.requireNonNull(effort);
        Objects.requireNonNull(threads);
        Objects.requireNonNull(steps);
        Objects.requireNonNull(folder);
        models = List.copyOf(models);
        groups = Set.copyOf(groups);
    }

    /** The plugins. */
    PluginCatalog catalog() {
        return plugins.catalog();
    }

    /** The backends of this process. */
    LocalBackends backends() {
        return new LocalBackends(
                catalog().backends(), plugins.backendOptions(PeerAccess.THROUGH_HOST));
    }

    /** Opens a device of this process; the caller closes it. */
    ComputeDevice open(DeviceReference device) {
        return backends()
                .openDevice(device, new DeviceOptions(threads, OptionalInt.empty(), false));
    }

    /** Whether a plugin serves an architecture. */
    boolean serves(String architecture) {
        return catalog().families().containsKey(architecture);
    }

    /** Whether shard processes can be started. */
    boolean startsProcesses() {
        return !processes.command().isEmpty();
    }

    /** Whether all that the effort permits is checked. */
    boolean isFull() {
        return effort == CheckEffort.FULL;
    }

    /** Settings of a model on devices, separated by commas. */
    HostSettings settings(CheckedModel model, String devices, ModelSettings settings) {
        return new HostSettings(
                model.file(),
                settings,
                new DeviceSettings(
                        PlacementRequest.of(
                                DeviceReference.parseList(devices), new SplitRule.Equal()),
                        threads,
                        OptionalInt.empty()),
                plugins,
                processes);
    }

    /** Returns the setup with other plugins. */
    CheckSetup with(PluginCatalog catalog) {
        PluginSettings replaced =
                new PluginSettings(
                        new PluginSettings.Source.Loaded(catalog),
                        plugins.cacheFolder(),
                        plugins.ggmlHome());
        return new CheckSetup(replaced, processes, models, effort, groups, threads, steps, folder);
    }

    /**
     * Opens a model file with the adapter of its family, without its weights.
     *
     * @throws VarveException if no plugin serves it
     */
    OpenedModel open(CheckedModel model) {
        GgufFile file = GgufFile.open(model.file());
        return new OpenedModel(
                file,
                catalog()
                        .family(file.architecture(), file.path())
                        .open(file, ModelOptions.defaults()));
    }
}

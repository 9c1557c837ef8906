package dev.varve.platform.host;

import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.RequestedPaging;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.SplitRule;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SequenceLimits;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A model to open, and everything that may be set about it.
 *
 * @param file the model file, any part of a split one
 * @param model sizes, caches, and how the file is read
 * @param devices where it computes
 * @param plugins where families, backends and transports come from
 * @param processes how shards of other processes are started and reached
 * @param store where computed prompts are kept on disk; empty for nowhere
 * @param draft how tokens are guessed; empty for not at all
 * @param compression how long prompts become shorter; empty for not at all
 * @param sharing what other servers and routers have of computed prompts
 */
@SuppressWarnings("exports") // see package-info
public record HostSettings(
        Path file,
        ModelSettings model,
        DeviceSettings devices,
        PluginSettings plugins,
        ProcessSettings processes,
        Optional<StoreSettings> store,
        Optional<DraftSettings> draft,
        Optional<CompressionSettings> compression,
        CacheSharingSettings sharing) {
    /** Checks that nothing is missing. */
    public HostSettings {
        Objects.requireNonNull(file);
        Objects.requireNonNull(model);
        Objects.requireNonNull(devices);
        Objects.requireNonNull(plugins);
        Objects.requireNonNull(processes);
        Objects.requireNonNull(store);
        Objects.requireNonNull(draft);
        Objects.requireNonNull(compression);
        Objects.requireNonNull(sharing);
    }

    /** Shares nothing. */
    public HostSettings(
            Path file,
            ModelSettings model,
            DeviceSettings devices,
            PluginSettings plugins,
            ProcessSettings processes,
            Optional<StoreSettings> store,
            Optional<DraftSettings> draft,
            Optional<CompressionSettings> compression) {
        this(
                file,
                model,
                devices,
                plugins,
                processes,
                store,
                draft,
                compression,
                CacheSharingSettings.NONE);
    }

    /** Compresses nothing. */
    public HostSettings(
            Path file,
            ModelSettings model,
            DeviceSettings devices,
            PluginSettings plugins,
            ProcessSettings processes,
            Optional<StoreSettings> store,
            Optional<DraftSettings> draft) {
        this(file, model, devices, plugins, processes, store, draft, Optional.empty());
    }

    /** Keeps nothing on disk, and guesses nothing. */
    public HostSettings(
            Path file,
            ModelSettings model,
            DeviceSettings devices,
            PluginSettings plugins,
            ProcessSettings processes) {
        this(file, model, devices, plugins, processes, Optional.empty(), Optional.empty());
    }

    /**
     * A model on the best device of this process, with everything else as it is without flags.
     *
     * @param pluginsFolder folder of plugins, such as that of an installation
     * @param cacheFolder writable folder for unpacked libraries and measurements; libraries are
     *     loaded from it, so nobody else may be able to write there
     */
    public static HostSettings of(Path file, Path pluginsFolder, Path cacheFolder) {
        return new HostSettings(
                file,
                ModelSettings.defaults(),
                DeviceSettings.best(),
                PluginSettings.of(pluginsFolder, cacheFolder),
                ProcessSettings.none());
    }

    /**
     * The same model over other devices, in equal parts.
     *
     * @param devices in layer order, separated by commas, such as {@code cpu:0,cuda:0@process}
     * @throws IllegalArgumentException if an item is no device
     */
    public HostSettings onDevices(String devices) {
        return onDevices(devices, new SplitRule.Equal());
    }

    /**
     * The same model over other devices, with a share of the layers for each.
     *
     * @param devices in layer order, separated by commas
     * @param split numbers separated by commas, such as {@code 0.3,0.7}, or {@code auto} for the
     *     fastest split that fits, for which the devices are measured once
     * @throws IllegalArgumentException if an item is no device or no number above 0
     */
    public HostSettings onDevices(String devices, String split) {
        return onDevices(devices, SplitRule.parse(split));
    }

    /**
     * The same model over other devices.
     *
     * @param split how the layers are shared out
     * @throws IllegalArgumentException if an item is no device
     */
    public HostSettings onDevices(String devices, SplitRule split) {
        List<DeviceReference> named = DeviceReference.parseList(devices);
        return with(this.devices.with(PlacementRequest.of(named, split)));
    }

    /**
     * The same for sequences of other length and number.
     *
     * @param contextTokens most tokens of one sequence, prompt and output together
     * @param parallel most sequences that are computed together
     * @throws IllegalArgumentException if {@code parallel} is not 1 to 256
     */
    public HostSettings withSequences(int contextTokens, int parallel) {
        return with(model.with(SequenceLimits.of(contextTokens, parallel)));
    }

    /**
     * The same with an attention cache that holds so many tokens of each sequence, however long it
     * gets; what it does not hold is in host memory, and comes back when it is looked for.
     *
     * @param tokens is rounded up to a multiple of 256, and is at least 512
     * @throws IllegalArgumentException if {@code tokens} is not positive
     */
    public HostSettings withPool(int tokens) {
        return with(RequestedPaging.of(tokens));
    }

    /** Likewise, with as many tokens as half of the memory holds that the model leaves. */
    public HostSettings withAutomaticPool() {
        return with(RequestedPaging.automatic());
    }

    /** The same with a number of threads on the processor. */
    public HostSettings withThreads(int count) {
        return with(devices.withThreads(count));
    }

    /** The same with shard processes that an installation's launcher starts. */
    public HostSettings withLauncher(Path launcher) {
        return with(processes.withCommand(ProcessSettings.launchedBy(launcher).command()));
    }

    /** Whether a drafter says which pages of a bounded attention cache matter. */
    boolean readsPages() {
        return model.pool().filter(pool -> pool.chosenPolicy() == PagePolicy.DRAFTER).isPresent();
    }

    /**
     * Checks that there is a drafter if pages are to be chosen by one.
     *
     * @throws IllegalArgumentException if not
     */
    void requireReader() {
        if (readsPages() && compression.isEmpty()) {
            throw PagePolicy.withoutDrafter();
        }
    }

    /** The same with other sizes. */
    public HostSettings with(ModelSettings other) {
        return new HostSettings(
                file, other, devices, plugins, processes, store, draft, compression, sharing);
    }

    /** The same with an attention cache that is bounded. */
    public HostSettings with(RequestedPaging pool) {
        return with(model.withPool(Optional.of(pool)));
    }

    /** The same on other devices. */
    public HostSettings with(DeviceSettings other) {
        return new HostSettings(
                file, model, other, plugins, processes, store, draft, compression, sharing);
    }

    /** The same with other plugins. */
    public HostSettings with(PluginSettings other) {
        return new HostSettings(
                file, model, devices, other, processes, store, draft, compression, sharing);
    }

    /** The same with shard processes that are started or reached in another way. */
    public HostSettings with(ProcessSettings other) {
        return new HostSettings(
                file, model, devices, plugins, other, store, draft, compression, sharing);
    }

    /** The same with computed prompts on disk. */
    public HostSettings with(StoreSettings other) {
        return new HostSettings(
                file,
                model,
                devices,
                plugins,
                processes,
                Optional.of(other),
                draft,
                compression,
                sharing);
    }

    /** The same with guesses. */
    public HostSettings with(DraftSettings other) {
        return new HostSettings(
                file,
                model,
                devices,
                plugins,
                processes,
                store,
                Optional.of(other),
                compression,
                sharing);
    }

    /** The same with long prompts that become shorter. */
    public HostSettings with(CompressionSettings other) {
        return new HostSettings(
                file,
                model,
                devices,
                plugins,
                processes,
                store,
                draft,
                Optional.of(other),
                sharing);
    }

    /** The same with computed prompts that others have a part in. */
    public HostSettings with(CacheSharingSettings other) {
        return new HostSettings(
                file, model, devices, plugins, processes, store, draft, compression, other);
    }
}

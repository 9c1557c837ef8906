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
 * A model to open, with all its settings.
 *
 * @param file the model file, any part of a split one
 * @param model sizes, caches, and how the file is read
 * @param devices devices that compute it
 * @param plugins source of families, backends and transports
 * @param processes how shards in other processes are started and reached
 * @param store where cached prefixes are stored on disk; empty for nowhere
 * @param draft speculative decoding; empty for none
 * @param compression prompt compression; empty for none
 * @param sharing how cached prefixes are shared with servers and reported to routers
 * @param images image input; empty for none
 * @param adapters LoRA adapters, whose changes are added
 * @param adapterFolders folders of adapters that may be added while the model runs
 */
@SuppressWarnings("exports") // see package-info
public record HostSettings(
        Path file,
        ModelSettings model,
        DeviceSettings devices,
        PluginSettings plugins,
        ShardProcessSettings processes,
        Optional<StoreSettings> store,
        Optional<DraftSettings> draft,
        Optional<CompressionSettings> compression,
        ClusterCacheSettings sharing,
        Optional<ImageSettings> images,
        List<LoraSettings> adapters,
        List<Path> adapterFolders) {
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
        Objects.requireNonNull(images);
        adapters = List.copyOf(adapters);
        adapterFolders = List.copyOf(adapterFolders);
    }

    /** Creates settings without adapters. */
    public HostSettings(
            Path file,
            ModelSettings model,
            DeviceSettings devices,
            PluginSettings plugins,
            ShardProcessSettings processes,
            Optional<StoreSettings> store,
            Optional<DraftSettings> draft,
            Optional<CompressionSettings> compression,
            ClusterCacheSettings sharing,
            Optional<ImageSettings> images) {
        this(
                file,
                model,
                devices,
                plugins,
                processes,
                store,
                draft,
                compression,
                sharing,
                images,
                List.of(),
                List.of());
    }

    /** Creates settings without image input. */
    public HostSettings(
            Path file,
            ModelSettings model,
            DeviceSettings devices,
            PluginSettings plugins,
            ShardProcessSettings processes,
            Optional<StoreSettings> store,
            Optional<DraftSettings> draft,
            Optional<CompressionSettings> compression,
            ClusterCacheSettings sharing) {
        this(
                file,
                model,
                devices,
                plugins,
                processes,
                store,
                draft,
                compression,
                sharing,
                Optional.empty());
    }

    /** Creates settings without a disk store and without speculative decoding. */
    public HostSettings(
            Path file,
            ModelSettings model,
            DeviceSettings devices,
            PluginSettings plugins,
            ShardProcessSettings processes) {
        this(
                file,
                model,
                devices,
                plugins,
                processes,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                ClusterCacheSettings.NONE);
    }

    /**
     * Creates settings for a model on the best device of this process, with defaults.
     *
     * @param pluginsFolder folder of plugins, such as that of an installation
     * @param cacheFolder writable folder for unpacked libraries and measurements; libraries are
     *     loaded from it, so no other user may have write access
     */
    public static HostSettings of(Path file, Path pluginsFolder, Path cacheFolder) {
        return new HostSettings(
                file,
                ModelSettings.defaults(),
                DeviceSettings.best(),
                PluginSettings.of(pluginsFolder, cacheFolder),
                ShardProcessSettings.none());
    }

    /**
     * Returns a copy on other devices, in equal parts.
     *
     * @param devices in layer order, separated by commas, such as {@code cpu:0,cuda:0@process}
     * @throws IllegalArgumentException if an item is no device
     */
    public HostSettings onDevices(String devices) {
        return onDevices(devices, new SplitRule.Equal());
    }

    /**
     * Returns a copy on other devices, with a share of the layers for each.
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
     * Returns a copy on other devices.
     *
     * @param split how the layers are split
     * @throws IllegalArgumentException if an item is no device
     */
    public HostSettings onDevices(String devices, SplitRule split) {
        List<DeviceReference> named = DeviceReference.parseList(devices);
        return with(this.devices.with(PlacementRequest.of(named, split)));
    }

    /**
     * Returns a copy for sequences of another length and number.
     *
     * @param contextTokens most tokens of one sequence, prompt and output together
     * @param parallel most sequences that are computed together
     * @throws IllegalArgumentException if {@code parallel} is not 1 to 256
     */
    public HostSettings withSequences(int contextTokens, int parallel) {
        return with(model.with(SequenceLimits.of(contextTokens, parallel)));
    }

    /**
     * Returns a copy for another number of sequences of the default length.
     *
     * @param count most sequences that are computed together
     * @throws IllegalArgumentException if it is not 1 to 256
     */
    public HostSettings withParallel(int count) {
        return with(model.with(SequenceLimits.parallel(count)));
    }

    /**
     * Returns a copy with a bounded attention cache that holds so many tokens of each sequence,
     * whatever its length. Other tokens are in host memory, and are paged in when they are needed.
     *
     * @param tokens is rounded up to a multiple of 256, and is at least 512
     * @throws IllegalArgumentException if {@code tokens} is not positive
     */
    public HostSettings withPool(int tokens) {
        return with(RequestedPaging.of(tokens));
    }

    /**
     * Returns a copy with a bounded attention cache, sized to half of the memory that the model
     * leaves free.
     */
    public HostSettings withAutomaticPool() {
        return with(RequestedPaging.automatic());
    }

    /** Returns a copy with a number of threads on the processor. */
    public HostSettings withThreads(int count) {
        return with(devices.withThreads(count));
    }

    /** Returns a copy whose shard processes an installation's launcher starts. */
    public HostSettings withLauncher(Path launcher) {
        return with(processes.startedBy(launcher));
    }

    /** Whether a drafter selects the pages of a bounded attention cache. */
    public boolean readsPages() {
        return model.pool().filter(pool -> pool.chosenPolicy() == PagePolicy.DRAFTER).isPresent();
    }

    /**
     * Checks that a drafter is configured if pages are selected by one.
     *
     * @throws IllegalArgumentException if not
     */
    void requireReader() {
        if (readsPages() && compression.isEmpty()) {
            throw PagePolicy.withoutDrafter();
        }
    }

    /** Returns a copy with other sizes. */
    public HostSettings with(ModelSettings other) {
        return new HostSettings(
                file,
                other,
                devices,
                plugins,
                processes,
                store,
                draft,
                compression,
                sharing,
                images,
                adapters,
                adapterFolders);
    }

    /** Returns a copy with a bounded attention cache. */
    public HostSettings with(RequestedPaging pool) {
        return with(model.withPool(Optional.of(pool)));
    }

    /** Returns a copy on other devices. */
    public HostSettings with(DeviceSettings other) {
        return new HostSettings(
                file,
                model,
                other,
                plugins,
                processes,
                store,
                draft,
                compression,
                sharing,
                images,
                adapters,
                adapterFolders);
    }

    /** Returns a copy with other plugins. */
    public HostSettings with(PluginSettings other) {
        return new HostSettings(
                file,
                model,
                devices,
                other,
                processes,
                store,
                draft,
                compression,
                sharing,
                images,
                adapters,
                adapterFolders);
    }

    /** Returns a copy with other process settings. */
    public HostSettings with(ShardProcessSettings other) {
        return new HostSettings(
                file,
                model,
                devices,
                plugins,
                other,
                store,
                draft,
                compression,
                sharing,
                images,
                adapters,
                adapterFolders);
    }

    /** Returns a copy with a disk store for cached prefixes. */
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
                sharing,
                images,
                adapters,
                adapterFolders);
    }

    /** Returns a copy with speculative decoding. */
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
                sharing,
                images,
                adapters,
                adapterFolders);
    }

    /** Returns a copy with prompt compression. */
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
                sharing,
                images,
                adapters,
                adapterFolders);
    }

    /** Returns a copy with sharing of cached prefixes. */
    public HostSettings with(ClusterCacheSettings other) {
        return new HostSettings(
                file,
                model,
                devices,
                plugins,
                processes,
                store,
                draft,
                compression,
                other,
                images,
                adapters,
                adapterFolders);
    }

    /** Returns a copy with image input. */
    public HostSettings with(ImageSettings other) {
        return new HostSettings(
                file,
                model,
                devices,
                plugins,
                processes,
                store,
                draft,
                compression,
                sharing,
                Optional.of(other),
                adapters,
                adapterFolders);
    }

    /** Returns a copy with LoRA adapters. */
    public HostSettings with(List<LoraSettings> others) {
        return new HostSettings(
                file,
                model,
                devices,
                plugins,
                processes,
                store,
                draft,
                compression,
                sharing,
                images,
                others,
                adapterFolders);
    }

    /** Returns a copy with folders of adapters that may be added while the model runs. */
    public HostSettings withAdapterFolders(List<Path> others) {
        return new HostSettings(
                file,
                model,
                devices,
                plugins,
                processes,
                store,
                draft,
                compression,
                sharing,
                images,
                adapters,
                others);
    }
}

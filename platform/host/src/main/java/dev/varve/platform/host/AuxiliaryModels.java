package dev.varve.platform.host;

import dev.varve.api.model.ModelOptions;
import dev.varve.platform.compression.pages.DrafterPageScorer;
import dev.varve.platform.paging.AsyncPageScorer;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.RangeMemory;
import dev.varve.platform.tokenizer.Tokenizer;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Auxiliary models beside the served one: a draft model and a prefill drafter. */
final class AuxiliaryModels {
    private final PreparedModel model;
    private final PlacementRequest request;
    private final Consumer<String> notes;

    /**
     * @param model the served model
     * @param request its devices
     * @param notes receives notes for the operator
     */
    AuxiliaryModels(PreparedModel model, PlacementRequest request, Consumer<String> notes) {
        this.model = model;
        this.request = request;
        this.notes = notes;
    }

    /** Creates the factory of the speculator, without opening it. */
    SpeculatorFactory draft(DraftSettings asked, PlacedShardFactory shards) {
        List<Path> files = List.of(model.model().file().path(), Path.of(asked.source()));
        return new SpeculatorFactory(
                asked, model, devices(asked.placement(), files, shards), notes);
    }

    /** Opens the prefill drafter. */
    HostedModel.CompressingDrafter drafter(CompressionSettings asked, PlacedShardFactory shards) {
        return opening(asked, shards).open();
    }

    /**
     * Returns the memory that the drafter would need for a prompt as long as the context; empty if
     * none is configured.
     */
    Optional<PrefillDrafterMemoryPlan> drafterPlan(PlacedShardFactory shards) {
        return model.settings()
                .compression()
                .map(asked -> opening(asked, shards).plan(contextTokens()));
    }

    /**
     * Returns the memory that they need on the devices of this process, by device. Excludes the
     * memory for reading a long prompt, which is freed after each prompt.
     */
    Map<DeviceReference, Long> needs(PlacedShardFactory shards) {
        Map<DeviceReference, Long> needs = new HashMap<>();
        HostSettings settings = model.settings();
        settings.draft()
                .filter(asked -> !model.catalog().speculators().containsKey(asked.source()))
                .map(asked -> draft(asked, shards).plan())
                .ifPresent(
                        plan ->
                                plan.device()
                                        .filter(DeviceReference::isLocal)
                                        .ifPresent(
                                                device ->
                                                        needs.merge(
                                                                device,
                                                                settings.model().replicas()
                                                                        * plan.bytes(),
                                                                Long::sum)));
        drafterPlan(shards)
                .filter(plan -> plan.device().isLocal())
                .ifPresent(plan -> needs.merge(plan.device(), plan.weightBytes(), Long::sum));
        return needs;
    }

    private PrefillDrafterFactory opening(CompressionSettings asked, PlacedShardFactory shards) {
        return new PrefillDrafterFactory(
                asked,
                ModelOptions.defaults().withContext(contextTokens()),
                model.catalog(),
                devices(asked.placement(), List.of(asked.drafter()), shards),
                notes);
    }

    private DraftDevices devices(
            DraftPlacement placement, List<Path> files, PlacedShardFactory shards) {
        return new DraftDevices(
                request,
                shards::device,
                shards::remote,
                new ProcessLinkFactory(
                        files, model.catalog(), placement.within(model.settings().processes())),
                model.digests());
    }

    /** Returns the devices on which images may be encoded. */
    DraftDevices encoderDevices(Path projector, PlacedShardFactory shards) {
        return devices(DraftPlacement.USUAL, List.of(projector), shards);
    }

    private int contextTokens() {
        return RangeMemory.contextTokens(model.model().shape(), model.settings().model());
    }

    /** Returns settings that leave room for the drafter's reading if it selects pages. */
    ModelSettings withReservedMemory(HostedModel.CompressingDrafter drafter) {
        return withReservedMemory(drafter.drafter().readingBytes(contextTokens()));
    }

    /** Returns settings that leave so many bytes if a drafter selects pages. */
    ModelSettings withReservedMemory(long bytes) {
        ModelSettings asked = model.settings().model();
        return model.settings().readsPages()
                ? asked.withPool(asked.pool().map(pool -> pool.beside(bytes)))
                : asked;
    }

    /** Creates the page scorer of an engine, if a drafter selects pages. */
    Optional<AsyncPageScorer> pageScorer(
            Optional<HostedModel.CompressingDrafter> drafter, Tokenizer tokenizer) {
        return drafter.filter(each -> model.settings().readsPages())
                .map(each -> new DrafterPageScorer(each.drafter(), tokenizer));
    }

    /** Returns the processors on which they compute in other processes. */
    Stream<DeviceReference> processors() {
        HostSettings settings = model.settings();
        Stream<DeviceReference> models =
                Stream.of(
                                settings.draft().map(DraftSettings::placement),
                                settings.compression().map(CompressionSettings::placement))
                        .flatMap(Optional::stream)
                        .map(placement -> placement.chooseDevice(request));
        Stream<DeviceReference> encoder = settings.images().flatMap(ImageSettings::device).stream();
        return Stream.concat(models, encoder)
                .filter(device -> !device.isLocal())
                .filter(device -> device.backend().equals(DeviceReference.PROCESSOR.backend()));
    }
}

package dev.varve.platform.host;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.api.model.LayerState;
import dev.varve.api.snapshot.SharedStore;
import dev.varve.platform.handoff.PrefillService;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.prefix.DiskTierOptions;
import dev.varve.platform.prefix.SharedTierOptions;
import dev.varve.platform.prefix.StorageTierOptions;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.CacheLayout;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.store.ArchiveSettings;
import dev.varve.platform.store.ChunkCipher;
import dev.varve.platform.store.DiskArchive;
import dev.varve.platform.store.Namespace;
import dev.varve.platform.store.SharedArchive;
import dev.varve.platform.store.SharedArchiveSettings;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Opens the stores of cached prefixes of a model: on disk and shared. */
final class CacheStoreFactory {
    private static final int BUDGET_SHARE = 10;
    private static final long MOST_BUDGET = 64L << 30;
    private static final int RESERVE_SHARE = 20;

    private static final Duration WRITE_LIMIT = Duration.ofSeconds(5);

    private final HostSettings host;
    private final PluginCatalog catalog;
    private final OpenedModel model;
    private final ModelSettings settings;

    /**
     * Stores of a model.
     *
     * @param service computes prompts for other servers; started with the model's engine
     */
    record Stores(StorageTierOptions tiers, Optional<PrefillService> service) {
        void close() {
            service.ifPresent(PrefillService::close);
            tiers.close();
        }
    }

    CacheStoreFactory(
            HostSettings host, PluginCatalog catalog, OpenedModel model, ModelSettings settings) {
        this.host = host;
        this.catalog = catalog;
        this.model = model;
        this.settings = settings;
    }

    /**
     * Opens the configured stores. Does not wait for the plugin that stores bytes on disk, and only
     * briefly for a shared store.
     *
     * @throws VarveException if the folder or the address cannot be used, or no plugin provides a
     *     store
     */
    Stores open(Placement placement, SplitMemoryPlan plan) {
        host.store().ifPresent(store -> requireHostCache(plan, Setting.STORE_FOLDER));
        host.sharing().store().ifPresent(store -> requireHostCache(plan, Setting.SHARED_STORE));
        host.sharing().handOff().ifPresent(shared -> requireHostCache(plan, Setting.HAND_OFF));
        Optional<DiskTierOptions> disk = host.store().map(store -> openDisk(store, placement));
        try {
            return host.sharing()
                    .handOff()
                    .map(settled -> openHandOff(disk, settled, placement))
                    .orElseGet(() -> new Stores(stores(disk, placement), Optional.empty()));
        } catch (RuntimeException | Error e) {
            StorageTierOptions.of(disk).close();
            throw e;
        }
    }

    private StorageTierOptions stores(Optional<DiskTierOptions> disk, Placement placement) {
        return new StorageTierOptions(
                disk, host.sharing().store().map(store -> openShared(store, placement)));
    }

    /** Opens the stores of a server that hands prompts over or computes them for others. */
    private Stores openHandOff(
            Optional<DiskTierOptions> disk, HandOffSettings handOff, Placement placement) {
        Namespace namespace =
                CacheNamespace.of(model, settings, placement, catalog, handOff.sharesBackends());
        HandOffFactory factory = new HandOffFactory(handOff, catalog, host.processes().transport());
        Optional<PrefillService> service = factory.service(namespace);
        try {
            Optional<SharedTierOptions> shared =
                    service.map(each -> served(each, namespace, placement))
                            .or(() -> stores(Optional.empty(), placement).shared());
            return new Stores(
                    new StorageTierOptions(disk, shared, factory.peers(namespace)), service);
        } catch (RuntimeException | Error e) {
            service.ifPresent(PrefillService::close);
            throw e;
        }
    }

    /** Store of the blocks that are computed for other servers. */
    private SharedTierOptions served(
            PrefillService service, Namespace namespace, Placement placement) {
        SharedArchiveSettings how =
                new SharedArchiveSettings(
                        service.address(), namespace, false, WRITE_LIMIT, Optional.empty());
        return new SharedTierOptions(
                SharedArchive.open(how, service.store()), namespace.id(), origin(placement), true);
    }

    private static void requireHostCache(SplitMemoryPlan plan, Setting setting) {
        if (!plan.hostCache().isPresent()) {
            throw new IllegalArgumentException(
                    setting
                            + ": disk and shared stores need the host tier of the prefix cache,"
                            + " whose size is 0; see "
                            + Setting.CACHE_RAM);
        }
    }

    private DiskTierOptions openDisk(StoreSettings store, Placement placement) {
        Namespace namespace =
                CacheNamespace.of(model, settings, placement, catalog, store.sharesBackends());
        try {
            DiskArchive archive =
                    DiskArchive.open(
                            archiveSettings(store, namespace),
                            StoreProviderSelector.choose(catalog, store.name()));
            return new DiskTierOptions(archive, namespace.id(), origin(placement));
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    Setting.STORE_FOLDER
                            + ": "
                            + store.folder()
                            + " cannot be used: "
                            + FileErrors.reason(e),
                    e);
        }
    }

    private SharedTierOptions openShared(SharedStoreSettings store, Placement placement) {
        Namespace namespace =
                CacheNamespace.of(model, settings, placement, catalog, store.sharesBackends());
        SharedArchiveSettings how =
                new SharedArchiveSettings(
                        store.address().shown(),
                        namespace,
                        store.readOnly(),
                        store.responseTimeout(),
                        store.keyFile().map(ChunkCipher::of));
        SharedStore opened =
                catalog.sharedStore(store.address().uri().getScheme()).open(store.address());
        return new SharedTierOptions(
                SharedArchive.open(how, opened), namespace.id(), origin(placement));
    }

    private long blockBytes() {
        CacheLayout layout =
                CacheLayout.of(
                        model.shape(),
                        model.shape().allLayers(),
                        settings.computation().cacheTypes(),
                        0);
        return DiskTierOptions.BLOCK_TOKENS * layout.bytesPerToken();
    }

    private ArchiveSettings archiveSettings(StoreSettings store, Namespace namespace)
            throws IOException {
        StoreSettings.Limits limits = store.limits();
        FileStore disk = disk(store.folder());
        long budget =
                limits.budget().orElse(Math.min(disk.getUsableSpace() / BUDGET_SHARE, MOST_BUDGET));
        long reserve = limits.reserve().orElse(disk.getTotalSpace() / RESERVE_SHARE);
        return new ArchiveSettings(
                store.folder(),
                namespace,
                blockBytes(),
                store.readOnly(),
                new ArchiveSettings.Limits(limits.part(budget), reserve, limits.ttl()),
                store.keyFile().map(ChunkCipher::of),
                InstantSource.system());
    }

    /** Returns the file store of an existing or future folder. */
    private static FileStore disk(Path folder) throws IOException {
        Path there = folder.toAbsolutePath();
        while (there.getParent() != null && !Files.exists(there)) {
            there = there.getParent();
        }
        return Files.getFileStore(there);
    }

    /** Returns the tensors of each shard, such as {@code ls0_k_3}, in layer order. */
    private String origin(Placement placement) {
        List<String> names = new ArrayList<>();
        for (int shard = 0; shard < placement.parts().size(); shard++) {
            Placement.Part part = placement.parts().get(shard);
            for (int layer = part.range().begin(); layer < part.range().end(); layer++) {
                String name = "ls" + shard + "_";
                switch (model.shape().layers().get(layer)) {
                    case LayerState.Attention attention -> {
                        names.add(name + "k_" + layer);
                        if (attention.valueRows() == LayerState.ValueRows.SEPARATE) {
                            names.add(name + "v_" + layer);
                        }
                    }
                    case LayerState.SharedAttention shared -> {
                        // Its rows belong to another layer.
                    }
                    default -> names.add(name + "state_" + layer);
                }
            }
        }
        return String.join(" ", names);
    }
}

package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.api.model.LayerState;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.prefix.Disk;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.OpenedModel;
import dev.varve.platform.runtime.SplitPlan;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.CacheLayout;
import dev.varve.platform.store.ArchiveSettings;
import dev.varve.platform.store.ChunkCipher;
import dev.varve.platform.store.Namespace;
import dev.varve.platform.store.SnapshotArchive;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/** Opens what keeps the computed prompts of a model on disk. */
final class StoreOpening {
    private static final int BUDGET_SHARE = 10;
    private static final long MOST_BUDGET = 64L << 30;
    private static final int RESERVE_SHARE = 20;

    private final StoreSettings store;
    private final PluginCatalog catalog;
    private final OpenedModel model;
    private final ModelSettings settings;

    StoreOpening(
            StoreSettings store, PluginCatalog catalog, OpenedModel model, ModelSettings settings) {
        this.store = store;
        this.catalog = catalog;
        this.model = model;
        this.settings = settings;
    }

    /**
     * Opens it, without waiting for the plugin that keeps the bytes.
     *
     * @throws VarveException if the folder cannot be used, or no plugin keeps bytes
     */
    Disk open(Placement placement, SplitPlan plan) {
        if (!plan.hostCache().isPresent()) {
            throw new IllegalArgumentException(
                    Setting.STORE_FOLDER
                            + ": what is on disk comes by way of host memory, and there is none;"
                            + " see "
                            + Setting.CACHE_RAM);
        }
        Namespace namespace =
                CacheNamespace.of(model, settings, placement, catalog, store.sharesBackends());
        try {
            SnapshotArchive archive =
                    SnapshotArchive.open(
                            archiveSettings(namespace), StoreProviders.choose(catalog.stores()));
            return new Disk(archive, namespace.id(), origin(placement));
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    Setting.STORE_FOLDER + ": " + store.folder() + " cannot be used: " + e,
                    e);
        }
    }

    private long blockBytes() {
        CacheLayout layout =
                CacheLayout.of(
                        model.shape(),
                        model.shape().allLayers(),
                        settings.computation().cacheTypes(),
                        0);
        return Disk.BLOCK_TOKENS * layout.bytesPerToken();
    }

    private ArchiveSettings archiveSettings(Namespace namespace) throws IOException {
        StoreSettings.Limits limits = store.limits();
        FileStore disk = disk();
        long budget =
                limits.budget().orElse(Math.min(disk.getUsableSpace() / BUDGET_SHARE, MOST_BUDGET));
        long reserve = limits.reserve().orElse(disk.getTotalSpace() / RESERVE_SHARE);
        return new ArchiveSettings(
                store.folder(),
                namespace,
                blockBytes(),
                store.readOnly(),
                new ArchiveSettings.Limits(Math.max(1, budget), reserve, limits.ttl()),
                store.keyFile().map(ChunkCipher::of),
                InstantSource.system());
    }

    /** Where the folder is, or will be. */
    private FileStore disk() throws IOException {
        Path there = store.folder().toAbsolutePath();
        while (there.getParent() != null && !Files.exists(there)) {
            there = there.getParent();
        }
        return Files.getFileStore(there);
    }

    /** The tensors of each shard, such as {@code ls0_k_3}, in layer order. */
    private String origin(Placement placement) {
        List<String> names = new ArrayList<>();
        for (int shard = 0; shard < placement.parts().size(); shard++) {
            Placement.Part part = placement.parts().get(shard);
            for (int layer = part.range().begin(); layer < part.range().end(); layer++) {
                String name = "ls" + shard + "_";
                switch (model.shape().layers().get(layer)) {
                    case LayerState.Attention attention -> {
                        names.add(name + "k_" + layer);
                        names.add(name + "v_" + layer);
                    }
                    case LayerState.SharedAttention shared -> {
                        // Its rows are those of another layer.
                    }
                    default -> names.add(name + "state_" + layer);
                }
            }
        }
        return String.join(" ", names);
    }
}

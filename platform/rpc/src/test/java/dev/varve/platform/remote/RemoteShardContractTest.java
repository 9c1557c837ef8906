package dev.varve.platform.remote;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.CacheLayout;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardContractTest;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;

/** A shard behind a socket keeps the contract of those of this process. */
@Timeout(120)
class RemoteShardContractTest extends ShardContractTest {
    private static final PlainModel MODEL = PlainModel.mixed(KvSlotSpan.BLOCK);
    private static final LayerRange ALL = MODEL.shape().allLayers();

    @TempDir Path folder;
    private RemoteRig rig;
    private Shard opened;

    @AfterEach
    void close() {
        // Before what it speaks to.
        opened.close();
        rig.close();
    }

    @Override
    protected Shard open(CacheCapacities capacities, List<Integer> captures) throws Exception {
        if (rig == null) {
            rig = new RemoteRig(folder, MODEL, capacities.slots());
        }
        opened =
                rig.open(
                        rig.link(PlainLink.Transport.UNIX),
                        rig.request(ALL, BoundaryType.F32, captures),
                        LoadProgressListener.silent());
        return opened;
    }

    @Override
    protected int vocabulary() {
        return MODEL.shape().vocabularySize();
    }

    @Override
    protected int layers() {
        return MODEL.shape().layerCount();
    }

    @Override
    protected int embeddingLength() {
        return MODEL.shape().embeddingLength();
    }

    @Override
    protected CacheLayout layout() {
        return rig.layout(ALL);
    }
}

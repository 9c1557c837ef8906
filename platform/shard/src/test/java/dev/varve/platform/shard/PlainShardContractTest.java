package dev.varve.platform.shard;

import dev.varve.api.ggml.GgmlType;

import java.util.List;

/** The tests' own shard keeps the contract, so that what is tested with it means something. */
class PlainShardContractTest extends ShardContractTest {
    private final PlainModel model = PlainModel.mixed(KvSlotSpan.BLOCK);

    @Override
    protected Shard open(CacheCapacities capacities, List<Integer> captures) {
        return new PlainShard(
                model,
                model.shape().allLayers(),
                new PlainShard.Sizes(
                        capacities.slots(),
                        capacities.stateRows(),
                        captures,
                        capacities.rollbackBuffers()));
    }

    @Override
    protected int vocabulary() {
        return model.shape().vocabularySize();
    }

    @Override
    protected int layers() {
        return model.shape().layerCount();
    }

    @Override
    protected int embeddingLength() {
        return model.shape().embeddingLength();
    }

    @Override
    protected CacheLayout layout() {
        return CacheLayout.of(
                model.shape(),
                model.shape().allLayers(),
                new CacheTypes(GgmlType.F32, GgmlType.F32),
                0);
    }
}

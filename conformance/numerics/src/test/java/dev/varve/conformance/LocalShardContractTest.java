package dev.varve.conformance;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ModelShape;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.CacheLayout;
import dev.varve.platform.shard.CacheUnitBytes;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardContractTest;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.local.LocalShard;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

/** Shards of this process keep the contract, for families with every kind of layer. */
@Timeout(300)
class LocalShardContractTest {
    @TempDir static Path models;

    /** Full attention and gated delta nets. */
    @Nested
    class Recurrent extends Contract {
        Recurrent() {
            super(Family.QWEN35, 8);
        }
    }

    /** Full and sliding attention, and layers that share rows. */
    @Nested
    class Sharing extends Contract {
        Sharing() {
            super(Family.GEMMA4, 3);
        }
    }

    /** Full and sliding attention, and experts. */
    @Nested
    class Sliding extends Contract {
        Sliding() {
            super(Family.LAGUNA, 1);
        }
    }

    /** Full attention alone. */
    @Nested
    class Full extends Contract {
        Full() {
            super(Family.QWEN3, 8);
        }
    }

    abstract static class Contract extends ShardContractTest {
        private final Family family;
        private final long seed;
        private GgufFile file;
        private LayerSplitAdapter model;

        Contract(Family family, long seed) {
            this.family = family;
            this.seed = seed;
        }

        @Override
        protected Shard open(CacheCapacities capacities, List<Integer> captures) throws Exception {
            ModelShape shape = shape();
            return LocalShard.load(
                    new ModelRange(file, model, shape.allLayers()),
                    Cpu.device(),
                    ShardOptions.of(
                                    Cpu.F16,
                                    new CacheCapacities(
                                            capacities.slots(),
                                            capacities.stateRows(),
                                            regionSlots(),
                                            capacities.rollbackBuffers()))
                            .withExactRows(BatchInvariance.ON)
                            .withCaptures(captures),
                    LoadProgressListener.silent());
        }

        private int regionSlots() {
            return CacheUnitBytes.of(
                            shape(),
                            shape().allLayers(),
                            Cpu.F16,
                            KvSlotSpan.BLOCK,
                            KvSlotSpan.BLOCK)
                    .regionSlots();
        }

        @Override
        protected CacheLayout layout() {
            return CacheLayout.of(shape(), shape().allLayers(), Cpu.F16, regionSlots());
        }

        private ModelShape shape() {
            try {
                if (model == null) {
                    file = GgufFile.open(family.odd(seed).write(models));
                    model = Cpu.family(file).open(file, ModelOptions.defaults());
                }
                return model.shape();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        protected int vocabulary() {
            return shape().vocabularySize();
        }

        @Override
        protected int layers() {
            return shape().layerCount();
        }

        @Override
        protected int embeddingLength() {
            return shape().embeddingLength();
        }
    }
}

package dev.varve.platform.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.shard.CacheSizes;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.ExactRows;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.ShardOptions;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.OptionalInt;

class LoadRequestTest {
    @ParameterizedTest
    @EnumSource
    void whatNumbersMayDependOnReachesTheShard(ExactRows exact) {
        LoadRequest request =
                new LoadRequest(
                        new LoadRequest.Model(
                                "m.gguf",
                                "ab",
                                new LoadRequest.Shape("qwen35", 4, 128, 320),
                                ModelOptions.defaults()),
                        new LayerRange(1, 3),
                        ShardOptions.of(CacheTypes.f16(), new CacheSizes(512, 3, 0))
                                .withFlashAttention(FlashAttention.OFF)
                                .withExactRows(exact),
                        new LoadRequest.Device(
                                "cpu:0",
                                new DeviceOptions(OptionalInt.of(2), OptionalInt.empty(), true)),
                        BoundaryType.F16);

        assertEquals(request, LoadRequest.decode(request.encode()));
    }
}

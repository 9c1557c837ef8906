package dev.varve.platform.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.TensorPlacement;
import dev.varve.platform.shard.WeightLayout;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.function.UnaryOperator;

class ShardLoadRequestTest {
    private static ShardLoadRequest request(UnaryOperator<ShardOptions> more) {
        return request(ModelOptions.defaults(), more);
    }

    private static ShardLoadRequest request(
            ModelOptions reading, UnaryOperator<ShardOptions> more) {
        return new ShardLoadRequest(
                new ShardLoadRequest.Model(
                        "m.gguf",
                        "ab",
                        Optional.empty(),
                        new ShardLoadRequest.ModelDimensions("qwen35", 4, 128, 320),
                        reading),
                new LayerRange(1, 3),
                more.apply(
                        ShardOptions.of(CacheTypes.f16(), new CacheCapacities(512, 3, 0))
                                .withFlashAttention(FlashAttention.OFF)),
                new ShardLoadRequest.Device(
                        "cpu:0", new DeviceOptions(OptionalInt.of(2), OptionalInt.empty(), true)),
                BoundaryType.F16);
    }

    @ParameterizedTest
    @EnumSource
    void numericSettingsReachTheShard(BatchInvariance exact) {
        ShardLoadRequest request = request(options -> options.withExactRows(exact));

        assertEquals(request, ShardLoadRequest.decode(request.encode()));
    }

    @Test
    void optionsOfTheFamilyReachTheShard() {
        ModelOptions reading =
                new ModelOptions(OptionalDouble.of(32), OptionalDouble.empty()).withContext(8192);
        ShardLoadRequest request = request(reading, options -> options);

        assertEquals(reading, ShardLoadRequest.decode(request.encode()).model().options());
    }

    @Test
    void devicesOfWeightsReachTheShard() {
        ShardLoadRequest plain = request(options -> options);
        ShardLoadRequest spread =
                new ShardLoadRequest(
                        plain.model(),
                        plain.range(),
                        new TensorPlacement(
                                Map.of("blk.1.ffn_up_exps.weight", "cpu:0", "b", "cuda:1")),
                        plain.shard(),
                        plain.device(),
                        plain.boundaryType());

        assertEquals(spread, ShardLoadRequest.decode(spread.encode()));
        assertNotEquals(plain, spread);
    }

    @Test
    void cacheOfStreamedExpertsReachesTheShard() {
        ShardLoadRequest streamed =
                request(
                        options ->
                                options.withWeights(WeightLayout.STREAMED)
                                        .withExpertCache(12L << 30));

        assertEquals(streamed, ShardLoadRequest.decode(streamed.encode()));
    }

    @Test
    void adaptersReachTheShard() {
        ShardLoadRequest plain = request(options -> options);
        ShardLoadRequest adapted =
                plain.with(
                        List.of(
                                new LoraReference(0, "a.gguf", "cd", Optional.of("ef"), 0.1f),
                                new LoraReference(3, "b.gguf", "01", Optional.empty(), -2)));

        assertEquals(adapted, ShardLoadRequest.decode(adapted.encode()));
        assertNotEquals(plain, adapted);
    }

    @Test
    void pageScoringFlagReachesTheShard() {
        ShardLoadRequest scoring =
                request(options -> options.withCaptures(List.of(1, 4)).scoringPages());
        ShardLoadRequest other = request(options -> options.withCaptures(List.of(1, 4)));

        assertEquals(scoring, ShardLoadRequest.decode(scoring.encode()));
        assertEquals(other, ShardLoadRequest.decode(other.encode()));
        assertNotEquals(scoring, other);
    }

    @Test
    void pageScoringFlagIsBoolean() {
        ByteBuffer fields = request(options -> options).encode().meta();
        ByteBuffer two =
                ByteBuffer.allocate(fields.remaining())
                        .put(fields)
                        .put(fields.limit() - 1, (byte) 2);
        ByteBuffer none = two.slice(0, two.capacity() - 1);

        for (ByteBuffer spoilt : List.of(two.flip(), none)) {
            WireException refusal =
                    assertThrows(
                            WireException.class,
                            () -> ShardLoadRequest.decode(Message.of(MessageType.LOAD, spoilt)));
            assertTrue(refusal.getMessage().startsWith("scores pages: "), refusal.getMessage());
        }
    }
}

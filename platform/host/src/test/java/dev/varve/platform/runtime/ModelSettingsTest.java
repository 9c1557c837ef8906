package dev.varve.platform.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.api.model.ModelOptions;
import dev.varve.platform.engine.EngineOptions;
import dev.varve.platform.paging.RequestedPaging;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.Numerics;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.WeightLayout;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

class ModelSettingsTest {
    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 257, Integer.MAX_VALUE})
    void sequenceCountOutOfRangeIsRefused(int parallel) {
        String message =
                assertThrows(
                                IllegalArgumentException.class,
                                () -> SequenceLimits.parallel(parallel))
                        .getMessage();

        assertEquals(Setting.PARALLEL + ": expected 1 to 256, found " + parallel, message);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0})
    void queueWithoutRoomIsRefused(int queue) {
        String message =
                assertThrows(
                                IllegalArgumentException.class,
                                () ->
                                        new WaitingLimits(
                                                queue,
                                                Duration.ofSeconds(1),
                                                EngineOptions.PrefillScheduling.DEFAULT))
                        .getMessage();

        assertEquals(Setting.QUEUE_LIMIT + ": expected 1 or more, found " + queue, message);
    }

    @Test
    void changedSettingKeepsTheOthers() {
        ModelSettings settings = ModelSettings.single(100);
        ComputeSettings computation = ComputeSettings.defaults().with(BatchInvariance.ON);
        ModelOptions reading = new ModelOptions(OptionalDouble.of(32), OptionalDouble.empty());
        WaitingLimits waiting =
                new WaitingLimits(
                        3, Duration.ofSeconds(1), EngineOptions.PrefillScheduling.DEFAULT);
        HostCacheLimit cache = new HostCacheLimit.Fixed(1 << 20);

        ModelSettings changed = settings.with(computation).with(reading).with(waiting).with(cache);

        assertEquals(
                new ModelSettings(settings.sequences(), computation, reading, waiting, cache),
                changed);
        assertEquals(
                settings.with(SequenceLimits.parallel(2)).sequences(),
                new SequenceLimits(OptionalInt.empty(), 2, OptionalInt.empty()));
    }

    @Test
    void familyReadsTheFileForSequencesOfTheirLength() {
        ModelOptions reading = new ModelOptions(OptionalDouble.of(32), OptionalDouble.empty());
        ModelSettings settings = ModelSettings.single(100).with(reading);

        assertEquals(reading.withContext(100), settings.modelOptions());
        assertEquals(
                reading.withContext(SequenceLimits.DEFAULT_CONTEXT),
                settings.with(SequenceLimits.parallel(2)).modelOptions());
    }

    @Test
    void poolIsKeptWhenOtherSettingsChange() {
        Optional<RequestedPaging> pool = Optional.of(RequestedPaging.of(512));
        ModelSettings settings = ModelSettings.defaults().withPool(pool);

        ModelSettings changed =
                settings.with(SequenceLimits.parallel(2))
                        .with(ComputeSettings.defaults())
                        .with(ModelOptions.defaults())
                        .with(WaitingLimits.defaults())
                        .with(HostCacheLimit.USUAL)
                        .with(SpeculationRequirements.NONE);

        assertEquals(pool, changed.pool());
        assertEquals(Optional.empty(), changed.withPool(Optional.empty()).pool());
        assertEquals(Optional.empty(), ModelSettings.defaults().pool());
    }

    @Test
    void computeSettingsApplyToEveryShard() {
        CacheCapacities capacities = new CacheCapacities(512, 3, 256);

        ShardOptions options =
                ComputeSettings.defaults()
                        .with(WeightLayout.AS_IN_FILE)
                        .with(FlashAttention.ON)
                        .with(BatchInvariance.OFF)
                        .shardOptions(capacities);

        assertEquals(CacheTypes.f16(), options.cacheTypes());
        assertEquals(capacities, options.capacities());
        assertEquals(WeightLayout.AS_IN_FILE, options.weights());
        assertEquals(new Numerics(FlashAttention.ON, BatchInvariance.OFF), options.numerics());
    }
}

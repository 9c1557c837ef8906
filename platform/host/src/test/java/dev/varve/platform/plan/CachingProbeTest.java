package dev.varve.platform.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.plan.CachingProbe.Age;
import dev.varve.platform.plan.CachingProbe.Subject;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.platform.shard.ShardOptions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.Supplier;

/** A device that computes a small model in plain loops is measured with real steps. */
class CachingProbeTest {
    private static final PlainModel MODEL = PlainModel.attentionOnly(3, 1024);
    private static final ModelBlocks BLOCKS = ModelBlocks.of(MODEL);
    private static final long PLENTY = 1L << 30;

    @TempDir Path folder;

    private final List<String> notes = new ArrayList<>();
    private Instant now = Instant.parse("2026-01-02T03:04:05Z");
    private double load;

    private final LoadMeter meter =
            new LoadMeter() {
                @Override
                public Supplier<OptionalDouble> begin() {
                    return this::now;
                }

                @Override
                public OptionalDouble now() {
                    return OptionalDouble.of(load);
                }
            };

    private final List<LayerRange> opened = new ArrayList<>();
    private int closed;

    private Subject subject(String... traits) {
        ShardOptions options = BlockBenchmark.shardOptions(MODEL, ModelSettings.single(256));
        return new Subject(
                "plain:0",
                List.of(traits),
                range -> {
                    opened.add(range);
                    return new PlainShard(MODEL, range, PlainShard.Sizes.of(options)) {
                        @Override
                        public void close() {
                            closed++;
                            super.close();
                        }
                    };
                },
                PLENTY,
                true);
    }

    private DeviceSpeed measure(Age age, Subject subject) {
        return probe(age == Age.NEW ? now : Instant.MIN).measure(subject, notes::add).speed();
    }

    private CachingProbe probe(Instant oldest) {
        return new CachingProbe(MODEL, () -> BLOCKS, new MeasurementCache(cache(), oldest, meter));
    }

    private ProbeCache cache() {
        return new ProbeCache(folder, () -> now = now.plusSeconds(60));
    }

    @Test
    void deviceIsMeasuredOnceWithEachBlockKindAndARun() {
        DeviceSpeed first = measure(Age.ANY, subject("build 1"));
        List<LayerRange> loaded = List.copyOf(opened);
        DeviceSpeed second = measure(Age.ANY, subject("build 1"));

        assertEquals(first, second);
        assertEquals(loaded, opened, "nothing was loaded for the second time");
        assertEquals(List.of("measuring plain:0 with a few layers of the model"), notes);
        assertEquals(
                List.of(new LayerRange(2, 3), new LayerRange(1, 2), new LayerRange(0, 3)), loaded);
        assertEquals(loaded.size(), closed, "every shard was closed");
        assertEquals(2, first.kinds().size());
        assertTrue(first.of(BLOCKS, new LayerRange(0, 3)).decodeMillis() > 0, first.toString());
    }

    @Test
    void anotherBuildOrAForcedRunMeasuresAgain() {
        measure(Age.ANY, subject("family 1", "backend 1"));

        measure(Age.ANY, subject("family 2", "backend 1"));
        measure(Age.ANY, subject("family 1", "backend 2"));
        measure(Age.NEW, subject("family 1", "backend 1"));

        assertEquals(4, notes.size());
    }

    @Test
    void measurementWithAnotherNumberOfKindsIsIgnored() {
        measure(Age.ANY, subject("build 1"));
        ProbeCache cache = cache();
        String key = "build 1 | model " + BLOCKS.identity();
        DeviceSpeed known = cache.find(key).orElseThrow().speed();
        cache.store(
                key,
                new Measurement(
                        new DeviceSpeed(known.perShard(), known.kinds().subList(0, 1)),
                        now,
                        Duration.ZERO,
                        OptionalDouble.empty()));

        measure(Age.ANY, subject("build 1"));

        assertEquals(2, notes.size());
    }

    /** From 20 % of the cores on a measurement may be too slow. */
    @ParameterizedTest
    @CsvSource({
        "0.9, 0.9, false",
        "0.9, 0.46, false",
        "0.9, 0.45, true",
        "0.9, 0, true",
        "0.2, 0.1, true",
        "0.19, 0, false"
    })
    void measurementUnderLoadIsRepeatedWithoutIt(double then, double later, boolean again) {
        load = then;
        measure(Age.ANY, subject("build 1"));
        load = later;

        Measurement second = probe(Instant.MIN).measure(subject("build 1"), notes::add);

        assertEquals(again ? 2 : 1, notes.size(), notes.toString());
        assertEquals(again ? later : then, second.load().orElseThrow());
        if (again) {
            assertEquals(
                    String.format(
                            Locale.ROOT,
                            "measuring plain:0 again with a few layers of the model: it was"
                                + " measured 1 minute ago, while other processes used %.0f %% of"
                                + " the cores",
                            100 * then),
                    notes.getLast());
        }
    }

    @Test
    void loadOfThisMachineDoesNotApplyToAnotherOne() {
        load = 0.9;
        Subject here = subject("build 1");

        Measurement measured =
                probe(Instant.MIN)
                        .measure(
                                new Subject("far:0", here.traits(), here.opener(), PLENTY, false),
                                notes::add);

        assertEquals(OptionalDouble.empty(), measured.load());
        assertEquals("measured now", measured.describe());
    }

    @Test
    void multiLineTraitIsOneKey() {
        measure(Age.ANY, subject("a device\nwith two lines"));
        measure(Age.ANY, subject("a device\nwith two lines"));

        assertEquals(1, notes.size());
    }

    @Test
    void failureIsNotCached() {
        Subject broken =
                new Subject(
                        "plain:0",
                        List.of("build 1"),
                        range -> {
                            throw new VarveException(
                                    VarveException.Kind.OUT_OF_MEMORY, "it does not fit");
                        },
                        PLENTY,
                        true);

        assertThrows(VarveException.class, () -> measure(Age.ANY, broken));
        measure(Age.ANY, subject("build 1"));

        assertEquals(2, notes.size());
    }
}

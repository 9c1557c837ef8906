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

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A device that computes a small model in plain loops is measured with real steps. */
class CachingProbeTest {
    private static final PlainModel MODEL = PlainModel.attentionOnly(3, 1024);
    private static final ModelBlocks BLOCKS = ModelBlocks.of(MODEL);
    private static final long PLENTY = 1L << 30;

    @TempDir Path folder;

    private final List<String> notes = new ArrayList<>();
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
                PLENTY);
    }

    private DeviceSpeed measure(Age age, Subject subject) {
        return new CachingProbe(MODEL, BLOCKS, new ProbeCache(folder), age)
                .measure(subject, notes::add);
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
        ProbeCache cache = new ProbeCache(folder);
        String key = "build 1 | model " + BLOCKS.identity();
        DeviceSpeed known = cache.find(key).orElseThrow();
        cache.store(key, new DeviceSpeed(known.perShard(), known.kinds().subList(0, 1)));

        measure(Age.ANY, subject("build 1"));

        assertEquals(2, notes.size());
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
                        PLENTY);

        assertThrows(VarveException.class, () -> measure(Age.ANY, broken));
        measure(Age.ANY, subject("build 1"));

        assertEquals(2, notes.size());
    }
}

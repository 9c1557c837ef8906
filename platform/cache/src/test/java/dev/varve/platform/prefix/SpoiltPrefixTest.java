package dev.varve.platform.prefix;

import static dev.varve.platform.prefix.CacheRig.SCOPE;
import static dev.varve.platform.prefix.CacheRig.cold;
import static dev.varve.platform.prefix.CacheRig.join;
import static dev.varve.platform.prefix.CacheRig.request;
import static dev.varve.platform.prefix.CacheRig.text;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.contracts.MemorySharedStore;
import dev.varve.contracts.SlotStore;
import dev.varve.platform.prefix.CacheRig.Answer;
import dev.varve.platform.prefix.CacheRig.Kind;
import dev.varve.platform.store.ArchiveMissException.Reason;
import dev.varve.platform.store.ArchiveSettings;
import dev.varve.platform.store.DiskArchive;
import dev.varve.platform.store.Namespace;
import dev.varve.platform.store.SharedArchive;
import dev.varve.platform.store.SharedArchiveSettings;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Tests that spoilt stored prefixes never change the logits of a response. */
class SpoiltPrefixTest {
    private static final int FLIPS = Effort.of("varve.test.flips", 40, 2_000);
    private static final int MUTATIONS = Effort.of("varve.test.fuzz", 40, 2_000);
    private static final long SEED = 4711;
    private static final int LENGTH = CachedBlock.TOKENS + 40;
    private static final int[] PROMPT = text(1, LENGTH);
    private static final int[] NEXT = join(PROMPT, text(6, 20));
    private static final byte[] ID = new byte[32];

    @TempDir private Path folder;

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final Map<String, byte[]> values = new ConcurrentHashMap<>();
    private final float[] expected = cold(true, NEXT);

    /** Outcomes of the responses, with the number of each. */
    private final Map<String, Integer> outcomes = new TreeMap<>();

    @BeforeEach
    void leave() throws IOException {
        for (StorageTierOptions stores : List.of(disk(false), shared(false))) {
            try (CacheRig rig = new CacheRig(Kind.of(true), stores, Optional.empty())) {
                rig.finish(PROMPT);
                rig.pushOff();
            }
        }
    }

    private StorageTierOptions disk(boolean readOnly) throws IOException {
        ArchiveSettings settings =
                new ArchiveSettings(
                        folder,
                        new Namespace(ID, Map.of()),
                        1 << 16,
                        readOnly,
                        new ArchiveSettings.Limits(64 << 20, 0, Optional.empty()),
                        Optional.empty(),
                        InstantSource.system());
        DiskArchive archive = DiskArchive.open(settings, new SlotStore.Provider());
        return StorageTierOptions.of(Optional.of(new DiskTierOptions(archive, ID, "")));
    }

    private StorageTierOptions shared(boolean readOnly) {
        SharedArchiveSettings settings =
                new SharedArchiveSettings(
                        "memory://test",
                        new Namespace(ID, Map.of()),
                        readOnly,
                        Duration.ofSeconds(20),
                        Optional.empty());
        SharedArchive archive = SharedArchive.open(settings, new MemorySharedStore(values));
        return new StorageTierOptions(
                Optional.empty(), Optional.of(new SharedTierOptions(archive, ID, "")));
    }

    /** Responds from a store, and counts how. */
    private void answer(StorageTierOptions stores, String what) {
        try (CacheRig rig = new CacheRig(Kind.of(true), stores, Optional.empty())) {
            Optional<? extends PrefixPrefetch> read =
                    stores.disk().isPresent()
                            ? rig.cache().load(request(NEXT, SCOPE), 0, false, () -> true)
                            : rig.cache().loadShared(request(NEXT, SCOPE), 0, () -> true);
            read.ifPresent(rig::await);

            Answer answer = rig.run(NEXT, SCOPE);

            assertArrayEquals(expected, answer.logits(), what);
            long corrupt =
                    stores.disk().isPresent()
                            ? misses(rig.cache().disk().orElseThrow().traffic().misses())
                            : misses(rig.cache().shared().orElseThrow().misses());
            String outcome = answer.use().tokens() == LENGTH ? "restored" : "recomputed";
            outcomes.merge(
                    corrupt > 0 ? outcome + ", counted as corrupt" : outcome, 1, Integer::sum);
        }
    }

    private static long misses(Map<Reason, Long> misses) {
        return misses.getOrDefault(Reason.CORRUPT, 0L);
    }

    private void report(int count, String what) {
        System.out.println(
                "seed " + SEED + ": " + count + " " + what + ": " + outcomes + "; 0 wrong");
        assertTrue(
                outcomes.getOrDefault("recomputed, counted as corrupt", 0) > count / 20,
                outcomes.toString());
        assertEquals(
                0, outcomes.getOrDefault("restored, counted as corrupt", 0), outcomes.toString());
    }

    @Test
    void noFlippedBitOnDiskGivesAWrongToken() throws IOException {
        List<Place> used = used();
        for (int i = 0; i < FLIPS; i++) {
            Place place = used.get(random.nextInt(used.size()));
            int bit = 1 << random.nextInt(8);
            place.flip(bit);
            try {
                answer(disk(true), "flip " + i + " of bit " + bit + " at " + place);
            } catch (VarveException e) {
                outcomes.merge("folder refused", 1, Integer::sum);
            }
            place.flip(bit);
        }

        report(FLIPS, "flipped bits on disk");
    }

    /** A byte of a file. */
    private record Place(Path file, int position) {
        void flip(int bit) throws IOException {
            try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
                open.seek(position);
                int old = open.read();
                open.seek(position);
                open.write(old ^ bit);
            }
        }
    }

    /** All bytes that are not 0: most of a store has no values yet. */
    private List<Place> used() throws IOException {
        List<Place> used = new ArrayList<>();
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path file : all.filter(Files::isRegularFile).sorted().toList()) {
                byte[] bytes = Files.readAllBytes(file);
                for (int i = 0; i < bytes.length; i++) {
                    if (bytes[i] != 0) {
                        used.add(new Place(file, i));
                    }
                }
            }
        }
        return used;
    }

    @Test
    void noFlippedBitOfASharedPrefixGivesAWrongToken() {
        List<String> keys = values.keySet().stream().sorted().toList();
        for (int i = 0; i < FLIPS; i++) {
            String key = keys.get(random.nextInt(keys.size()));
            byte[] value = values.get(key);
            byte[] flipped = value.clone();
            int at = random.nextInt(8 * value.length);
            flipped[at / 8] ^= (byte) (1 << at % 8);
            values.put(key, flipped);
            answer(shared(true), "flip " + i + " of " + key + " at " + at);
            values.put(key, value);
        }

        report(FLIPS, "flipped bits of shared values");
    }

    @Test
    void noMutatedSharedPrefixGivesAWrongToken() {
        List<String> keys = values.keySet().stream().sorted().toList();
        for (int i = 0; i < MUTATIONS; i++) {
            String key = keys.get(random.nextInt(keys.size()));
            byte[] value = values.get(key);
            byte[] other = values.get(keys.get(random.nextInt(keys.size())));
            values.put(key, mutated(value, other));
            answer(shared(true), "mutation " + i + " of " + key);
            values.put(key, value);
        }

        report(MUTATIONS, "mutated shared values");
    }

    /** A value with a part that is cut off, is added, is zero, is random or is of another value. */
    private byte[] mutated(byte[] value, byte[] other) {
        int at = random.nextInt(value.length);
        int length = 1 + random.nextInt(Math.min(64, value.length - at));
        byte[] bytes = value.clone();
        switch (random.nextInt(6)) {
            case 0 -> bytes = Arrays.copyOf(bytes, at);
            case 1 -> bytes = Arrays.copyOf(bytes, bytes.length + length);
            case 2 -> Arrays.fill(bytes, at, at + length, (byte) 0);
            case 3 -> Arrays.fill(bytes, at, at + length, (byte) -1);
            case 4 -> {
                for (int i = at; i < at + length; i++) {
                    bytes[i] = (byte) random.nextInt();
                }
            }
            default -> bytes = other.clone();
        }
        return bytes;
    }
}

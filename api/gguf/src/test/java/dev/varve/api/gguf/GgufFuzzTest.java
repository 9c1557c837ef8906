package dev.varve.api.gguf;

import static dev.varve.api.gguf.RawGguf.int32;
import static dev.varve.api.gguf.RawGguf.string;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import com.sun.management.ThreadMXBean;

import dev.varve.api.VarveException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;

/** Damaged files end in one clear error and in little memory. */
class GgufFuzzTest {
    private static final long SLACK = 16 << 20;
    private static final long[] SMASHES = {
        -1,
        0,
        1,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        Integer.MAX_VALUE,
        1L << 31,
        1L << 32,
        1L << 28,
        1 << 16,
        255
    };
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void mutatedFilesFailWithClearErrors() {
        assertTrue(fuzz(20_000, 1) > 10_000, "most mutations must be noticed");
    }

    @Test
    @Tag("nightly")
    void millionMutatedFilesFailWithClearErrors() {
        assertTrue(fuzz(1_000_000, 2) > 500_000, "most mutations must be noticed");
    }

    @Test
    void manyEmptyStringsUnderALongKeyUseLittleMemory() {
        int count = 200_000;
        byte[] file =
                new RawGguf().array("k".repeat(60_000), 8, count, new byte[8 * count]).bytes();

        assertTrue(assertWithinBudget(file, 0), "the file is valid");
    }

    @Test
    void arraysUseAtMostFourTimesTheirFileSize() {
        int size = 8 << 20;
        for (int type : new int[] {0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12}) {
            int width = new int[] {1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8}[type];
            byte[] file = new RawGguf().array("k", type, size / width, new byte[size]).bytes();
            assertTrue(assertWithinBudget(file, type), "the file is valid");
        }
    }

    /** Returns how many inputs were refused. */
    private static int fuzz(int inputs, long seed) {
        List<byte[]> seeds = seeds();
        SplittableRandom random = new SplittableRandom(seed);
        int refused = 0;
        for (int i = 0; i < inputs; i++) {
            byte[] input = seeds.get(random.nextInt(seeds.size()));
            for (int round = random.nextInt(1, 4); round > 0; round--) {
                input = mutate(input, seeds, random);
            }
            refused += assertWithinBudget(input, i) ? 0 : 1;
        }
        return refused;
    }

    /** Returns whether the file was accepted. */
    private static boolean assertWithinBudget(byte[] input, int number) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        boolean accepted = true;
        try {
            ByteChannel.parse(input);
        } catch (VarveException e) {
            accepted = false;
            if (e.kind() != VarveException.Kind.CORRUPT_FILE
                    && e.kind() != VarveException.Kind.UNREADABLE_FILE) {
                fail("input " + number + " " + HexFormat.of().formatHex(input), e);
            }
        } catch (RuntimeException | Error e) {
            fail(
                    "input "
                            + number
                            + " "
                            + HexFormat.of()
                                    .formatHex(Arrays.copyOf(input, Math.min(4096, input.length))),
                    e);
        }
        long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        if (allocated > 4L * input.length + SLACK) {
            fail(
                    "input "
                            + number
                            + " of "
                            + input.length
                            + " bytes allocated "
                            + allocated
                            + " bytes");
        }
        return accepted;
    }

    private static byte[] mutate(byte[] input, List<byte[]> seeds, SplittableRandom random) {
        if (input.length < 16) {
            return seeds.getFirst().clone();
        }
        byte[] bytes = input.clone();
        // Most mutations strike the header: the data is not looked at.
        int at = random.nextInt(random.nextBoolean() ? bytes.length : Math.min(bytes.length, 512));
        switch (random.nextInt(5)) {
            case 0 -> {
                for (int flips = random.nextInt(1, 9); flips > 0; flips--) {
                    bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
                }
                bytes[at] ^= (byte) (1 << random.nextInt(8));
            }
            case 1 -> {
                byte[] other = seeds.get(random.nextInt(seeds.size()));
                int from = random.nextInt(other.length);
                int length =
                        Math.min(
                                random.nextInt(1, 64),
                                Math.min(other.length - from, bytes.length - at));
                System.arraycopy(other, from, bytes, at, length);
            }
            case 2 -> {
                byte[] smash =
                        RawGguf.int64(
                                random.nextBoolean()
                                        ? SMASHES[random.nextInt(SMASHES.length)]
                                        : random.nextLong(bytes.length * 2L));
                System.arraycopy(smash, 0, bytes, Math.min(at, bytes.length - 8), 8);
            }
            case 3 -> bytes = Arrays.copyOf(bytes, at);
            default -> {
                int length = Math.min(random.nextInt(1, 128), bytes.length - at);
                byte[] longer = Arrays.copyOf(bytes, bytes.length + length);
                System.arraycopy(bytes, at, longer, at + length, bytes.length - at);
                bytes = longer;
            }
        }
        return bytes;
    }

    private static List<byte[]> seeds() {
        byte[] values =
                new RawGguf()
                        .pair("u8", 0, new byte[] {1})
                        .pair("i16", 3, new byte[] {1, 2})
                        .pair("general.alignment", 4, int32(32))
                        .pair("f32", 6, int32(Float.floatToIntBits(1.5f)))
                        .pair("bool", 7, new byte[] {1})
                        .pair("text", 8, string("some text"))
                        .pair("f64", 12, RawGguf.int64(Double.doubleToLongBits(2.5)))
                        .bytes();
        byte[] arrays =
                new RawGguf()
                        .array(
                                "strings",
                                8,
                                3,
                                "\1\0\0\0\0\0\0\0a\0\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0bc"
                                        .getBytes(java.nio.charset.StandardCharsets.ISO_8859_1))
                        .array("ints", 5, 4, new byte[16])
                        .array("longs", 10, 2, new byte[16])
                        .array("floats", 6, 4, new byte[16])
                        .array("bools", 7, 5, new byte[5])
                        .bytes();
        RawGguf tensors = new RawGguf().version(2).pair("general.architecture", 8, string("x"));
        for (int i = 0; i < 12; i++) {
            tensors.tensor(
                    "blk." + i + ".weight", i % 2 == 0 ? 0 : 8, i * 96L, 8 << (i % 2) * 2, 2);
        }
        return List.of(values, arrays, tensors.data(12 * 96).bytes(), new RawGguf().bytes());
    }
}

package dev.varve.api.ggml;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Random;

class StridesTest {
    @BeforeAll
    static void loadGgml() {
        Cpu.device();
    }

    private final GgmlContext context = GgmlContext.open(64, 0);
    private final Ops ops = context.ops();

    @AfterEach
    void closeContext() {
        context.close();
    }

    @Test
    void omittedExtentsAreOne() {
        assertEquals(new Extents(5, 1, 1, 1), Extents.of(5));
        assertEquals(new Extents(5, 4, 1, 1), Extents.of(5, 4));
        assertEquals(new Extents(5, 4, 3, 1), Extents.of(5, 4, 3));
        assertEquals("[5, 4, 3, 2]", Extents.of(5, 4, 3, 2).toString());
    }

    @Test
    void omittedStridesAreContiguous() {
        Extents extents = Extents.of(64, 3, 5, 7);

        assertArrayEquals(
                new long[] {68, 204, 1020}, Strides.packed().over(GgmlType.Q8_0, extents));
        assertArrayEquals(
                new long[] {100, 300, 1500}, Strides.of(100).over(GgmlType.Q8_0, extents));
        assertArrayEquals(new long[] {100, 8, 40}, Strides.of(100, 8).over(GgmlType.Q8_0, extents));
        assertArrayEquals(
                new long[] {100, 8, 9}, Strides.of(100, 8, 9).over(GgmlType.Q8_0, extents));
    }

    @Test
    void viewsHaveTheRequestedStrides() {
        Tensor a = context.newTensor(GgmlType.F32, 8, 6, 4, 2);

        Tensor view = ops.view(a, Extents.of(4, 3, 2), Strides.of(a.nb(1), a.nb(2)), 16);

        assertArrayEquals(new long[] {4, 3, 2, 1}, extents(view));
        assertArrayEquals(new long[] {4, 32, 192, 384}, strides(view));
    }

    @Test
    void wholeTensorIsAViewOfItself() {
        Tensor a = context.newTensor(GgmlType.Q4_K, 512, 3, 2, 2);

        Tensor view = ops.view(a, Extents.of(512, 3, 2, 2), Strides.packed(), 0);

        assertArrayEquals(strides(a), strides(view));
        assertTrue(view.isContiguous());
    }

    @Test
    void rowAndPlaneViewsEqualGeneralViews() {
        Tensor a = context.newTensor(GgmlType.F32, 8, 6);

        assertArrayEquals(
                strides(ops.view(a, Extents.of(4, 3), Strides.of(64), 8)),
                strides(ops.view2d(a, 4, 3, 64, 8)));
        assertArrayEquals(
                strides(ops.view(a, Extents.of(16), Strides.packed(), 32)),
                strides(ops.view1d(a, 16, 32)));
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, -4, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 62})
    void stridesBeyondTheTensorAreRefused(long stride) {
        Tensor a = context.newTensor(GgmlType.F32, 8, 6, 4, 2);

        refused(a, Extents.of(2, 2), Strides.of(stride));
        refused(a, Extents.of(2, 2, 2), Strides.of(8, stride));
        refused(a, Extents.of(2, 2, 2, 2), Strides.of(8, 16, stride));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, 1L << 40, Long.MAX_VALUE, Long.MIN_VALUE})
    void extentsBeyondTheTensorAreRefused(long extent) {
        Tensor a = context.newTensor(GgmlType.F32, 8, 6, 4, 2);

        refused(a, Extents.of(extent), Strides.packed());
        refused(a, Extents.of(8, extent), Strides.packed());
        refused(a, Extents.of(8, 6, extent), Strides.of(32, 192));
        refused(a, Extents.of(8, 6, 4, extent), Strides.of(32, 192, 768));
    }

    /** ggml accepts each view that Java accepts. A view that ggml rejects ends this process. */
    @Test
    void randomViewsAreRefusedOrAcceptedButNeverAbort() {
        Random random = new Random(20250);
        long[] sizes = {-1, 0, 1, 2, 3, 4, 8, 9, 1L << 33};
        int taken = 0;
        for (int i = 0; i < 3000; i++) {
            try (GgmlContext scratch = GgmlContext.open(2, 0)) {
                Tensor a = scratch.newTensor(GgmlType.F32, 8, 4, 2, 2);
                Extents extents =
                        Extents.of(any(random, sizes), any(random, sizes), any(random, sizes));
                Strides strides =
                        random.nextBoolean()
                                ? Strides.of(4 * any(random, sizes), 4 * any(random, sizes))
                                : Strides.of(4 * any(random, sizes));
                scratch.ops().view(a, extents, strides, 4 * any(random, sizes));
                taken++;
            } catch (IllegalArgumentException refused) {
                assertTrue(refused.getMessage().startsWith("view"), refused.getMessage());
            }
        }
        assertTrue(taken > 20 && taken < 2980, taken + " of 3000 views were taken");
    }

    private void refused(Tensor a, Extents extents, Strides strides) {
        String message =
                assertThrows(IllegalArgumentException.class, () -> ops.view(a, extents, strides, 0))
                        .getMessage();
        assertTrue(message.startsWith("view "), message);
    }

    private static long any(Random random, long[] sizes) {
        return sizes[random.nextInt(sizes.length)];
    }

    private static long[] extents(Tensor a) {
        return new long[] {a.ne(0), a.ne(1), a.ne(2), a.ne(3)};
    }

    private static long[] strides(Tensor a) {
        return new long[] {a.nb(0), a.nb(1), a.nb(2), a.nb(3)};
    }
}

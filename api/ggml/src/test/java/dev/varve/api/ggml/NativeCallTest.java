package dev.varve.api.ggml;

import static dev.varve.api.ggml.Native.C_BOOL;
import static dev.varve.api.ggml.Native.C_FLOAT;
import static dev.varve.api.ggml.Native.C_INT;
import static dev.varve.api.ggml.Native.C_INT64;
import static dev.varve.api.ggml.Native.C_POINTER;
import static dev.varve.api.ggml.Native.returns;
import static dev.varve.api.ggml.Native.returnsNothing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Functions of all types are called in a few shapes, with words in place of their types. */
class NativeCallTest {
    @BeforeAll
    static void loadGgml() {
        Cpu.device();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, WORDS",
        "6, 0, WORDS",
        "7, 0, MANY_WORDS",
        "12, 0, MANY_WORDS",
        "2, 1, WORDS_AND_FACTORS",
        "6, 3, WORDS_AND_FACTORS",
        "7, 1, ROTATION",
        "2, 4, ROTATION",
        "8, 6, ROTATION"
    })
    void shapeIsTheSmallestWithRoom(int words, int floats, CallShape shape) {
        assertEquals(shape, CallShape.of(words, floats));
        assertEquals(shape, CallShape.of(descriptor(words, floats)));
    }

    @ParameterizedTest
    @CsvSource({"13, 0", "9, 1", "0, 7"})
    void functionWithoutAShapeIsRefused(int words, int floats) {
        assertThrows(IllegalArgumentException.class, () -> CallShape.of(words, floats));
    }

    @Test
    void otherTypesAreRefused() {
        MemoryLayout struct = MemoryLayout.structLayout(JAVA_LONG);

        for (FunctionDescriptor descriptor :
                new FunctionDescriptor[] {
                    returnsNothing(struct),
                    returnsNothing(JAVA_DOUBLE),
                    returnsNothing(C_FLOAT, C_INT),
                    returns(struct),
                    returns(C_FLOAT)
                }) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> CallShape.of(descriptor),
                    descriptor::toString);
        }
    }

    private static FunctionDescriptor descriptor(int words, int floats) {
        MemoryLayout[] types = {C_POINTER, C_INT, C_INT64, C_BOOL};
        MemoryLayout[] arguments = new MemoryLayout[words + floats];
        Arrays.setAll(arguments, i -> i < words ? types[i % types.length] : C_FLOAT);
        return returnsNothing(arguments);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void numbersOf32BitsKeepTheirSign(int value) {
        MethodHandle abs = Native.bindSystem("abs", returns(C_INT, C_INT));

        assertEquals(Math.abs(value), (int) NativeCall.call(abs, value));
    }

    @Test
    void onlyTheLowestByteOfAResultIsABool() {
        assertTrue(NativeCall.isTrue(0xABCD_EF01L));
        assertFalse(NativeCall.isTrue(0xABCD_EF00L));
        assertEquals(1, NativeCall.flag(true));
        assertEquals(0, NativeCall.flag(false));
    }

    @Test
    void memoryThatCannotBePassedIsRefused() {
        MemorySegment freed;
        try (Arena arena = Arena.ofConfined()) {
            freed = arena.allocate(8);
            assertEquals(freed.address(), NativeCall.pointer(freed));
            MemorySegment confined = freed;
            CompletionException failure =
                    assertThrows(
                            CompletionException.class,
                            () ->
                                    CompletableFuture.runAsync(() -> NativeCall.pointer(confined))
                                            .join());
            assertEquals(WrongThreadException.class, failure.getCause().getClass());
        }

        assertThrows(IllegalStateException.class, () -> NativeCall.pointer(freed));
        assertThrows(
                IllegalArgumentException.class,
                () -> NativeCall.pointer(MemorySegment.ofArray(new byte[8])));
        assertEquals(0, NativeCall.pointer(MemorySegment.NULL));
    }
}

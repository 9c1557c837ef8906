package dev.varve.api.ggml;

import static dev.varve.api.ggml.Native.C_INT;
import static dev.varve.api.ggml.Native.C_POINTER;
import static dev.varve.api.ggml.Native.C_SIZE_T;
import static dev.varve.api.ggml.Native.returns;
import static dev.varve.api.ggml.Native.returnsNothing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.Pointer.BufferPtr;
import dev.varve.api.ggml.Pointer.TensorPtr;
import dev.varve.api.ggml.Pointer.ThreadPoolPtr;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** How C functions are found, typed and called. */
class NativeTest {
    @BeforeAll
    static void loadGgml() {
        Cpu.device();
    }

    @Test
    void functionMissingInGgmlIsNamed() {
        VarveException error =
                assertThrows(
                        VarveException.class,
                        () -> Native.bind("ggml_varve_none", returnsNothing()));

        assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
        assertEquals(
                "function ggml_varve_none is missing from the ggml libraries", error.getMessage());
    }

    @Test
    void functionMissingInTheCLibraryIsNamed() {
        VarveException error =
                assertThrows(
                        VarveException.class,
                        () -> Native.bindSystem("varve_none", returns(C_INT)));

        assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
        assertEquals("the C library has no function varve_none", error.getMessage());
    }

    @Test
    void functionMissingInTheBackendIsNamedWithTheDevice() {
        GgmlDevice device = Cpu.device();

        VarveException error =
                assertThrows(
                        VarveException.class,
                        () -> device.requireFunction("varve_none", returnsNothing()));

        assertEquals("CPU: function varve_none is missing", error.getMessage());
        assertTrue(device.function("varve_none", returnsNothing()).isEmpty());
    }

    @Test
    void functionOfTheCLibraryIsCalled() {
        MethodHandle handle = Native.bindSystem("strlen", returns(C_SIZE_T, C_POINTER));

        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom("strata");
            assertEquals(6L, NativeCall.call(handle, NativeCall.pointer(text)));
        }
    }

    @Test
    void exceptionOfACallIsPropagated() {
        IllegalStateException failure = new IllegalStateException("closed");
        Error end = new StackOverflowError();

        assertSame(failure, thrown(failure));
        assertSame(end, thrown(end));
    }

    @Test
    void checkedExceptionBecomesAnAssertionError() {
        IOException impossible = new IOException("from C");

        Throwable error = thrown(impossible);

        assertEquals(AssertionError.class, error.getClass());
        assertSame(impossible, error.getCause());
    }

    @Test
    void pointersAreEqualByAddress() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment struct = arena.allocate(16);
            MemorySegment bare = MemorySegment.ofAddress(struct.address());

            assertTrue(new TensorPtr(struct).isSame(new TensorPtr(bare)));
            assertFalse(new TensorPtr(struct).isSame(new TensorPtr(struct.asSlice(8))));
        }
    }

    @Test
    void nullPointersAreNull() {
        assertTrue(TensorPtr.NULL.isNull());
        assertTrue(BufferPtr.NULL.isNull());
        assertTrue(ThreadPoolPtr.NULL.isNull());
        assertEquals("", Native.string(MemorySegment.NULL));
    }

    private static Throwable thrown(Throwable failure) {
        return assertThrows(
                Throwable.class,
                () ->
                        Native.call(
                                () -> {
                                    throw failure;
                                }));
    }
}

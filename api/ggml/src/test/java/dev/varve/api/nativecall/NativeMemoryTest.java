package dev.varve.api.nativecall;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

class NativeMemoryTest {
    private final NativeScope scope = NativeScope.open();

    @AfterEach
    void closeScope() {
        scope.close();
    }

    @Test
    void memoryIsZeroInitialized() {
        NativeMemory memory = scope.allocate(24);

        assertEquals(24, memory.size());
        for (int offset = 0; offset <= 16; offset++) {
            assertEquals(0, memory.getLong(offset), "offset " + offset);
        }
        assertEquals("", memory.getText(0));
    }

    @Test
    void fieldsKeepTheirValuesAtAnyOffset() {
        NativeMemory memory = scope.allocate(32);
        NativeMemory target = scope.allocate(4);

        memory.setInt(3, -2);
        memory.setLong(8, Long.MIN_VALUE);
        memory.setPointer(16, target);
        memory.setPointer(24, memory.getPointer(16));

        assertEquals(-2, memory.getInt(3));
        assertEquals(Long.MIN_VALUE, memory.getLong(8));
        assertEquals(memory.getPointer(16), memory.getPointer(24));
        assertEquals(memory.getPointer(16).hashCode(), memory.getPointer(24).hashCode());
    }

    @Test
    void pointerIsClearedWithNull() {
        NativeMemory memory = scope.allocate(8);
        memory.setPointer(0, memory);

        memory.setPointer(0, NativePointer.NULL);

        assertTrue(memory.getPointer(0).isNull());
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 5, 8, 9, Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE - 3})
    void fieldsOutOfRangeAreRefused(long offset) {
        NativeMemory memory = scope.allocate(8);

        outside(offset, () -> memory.getInt(offset));
        outside(offset, () -> memory.setInt(offset, 1));
        outside(offset, () -> memory.getLong(offset));
        outside(offset, () -> memory.setLong(offset, 1));
        outside(offset, () -> memory.getPointer(offset));
        outside(offset, () -> memory.setPointer(offset, NativePointer.NULL));
        outside(offset, () -> memory.setPointer(offset, memory));
    }

    @Test
    void lastBytesAreAccessible() {
        NativeMemory memory = scope.allocate(8);

        memory.setInt(4, 7);
        memory.setLong(0, memory.getLong(0));

        assertEquals(7, memory.getInt(4));
        outside(1, () -> memory.getLong(1));
    }

    @Test
    void unterminatedStringIsRefused() {
        NativeMemory memory = scope.allocate(4);
        memory.setInt(0, 0x61616161);

        IndexOutOfBoundsException error =
                assertThrows(IndexOutOfBoundsException.class, () -> memory.getText(1));

        assertEquals("the text at byte 1 has no end within the memory of 4", error.getMessage());
        outside(5, () -> memory.getText(5));
        outside(-1, () -> memory.getText(-1));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void memorySizeMustBePositive(int bytes) {
        IllegalArgumentException error =
                assertThrows(IllegalArgumentException.class, () -> scope.allocate(bytes));

        assertEquals("memory must have at least 1 byte, got " + bytes, error.getMessage());
    }

    @Test
    void stringWithAnEmbeddedNulIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> scope.text("a\0b"));
    }

    @Test
    void closedMemoryCannotBeUsed() {
        NativeMemory memory = scope.allocate(8);

        scope.close();
        scope.close();

        closed(() -> memory.getInt(0));
        closed(() -> memory.setLong(0, 1));
        closed(() -> memory.getText(0));
        closed(() -> scope.allocate(8));
        closed(() -> scope.text("late"));
    }

    @Test
    void accessFromAnotherThreadIsRefused() {
        NativeMemory memory = scope.allocate(8);
        CompletableFuture<Integer> read = CompletableFuture.supplyAsync(() -> memory.getInt(0));

        CompletionException error =
                assertThrows(
                        CompletionException.class,
                        () -> read.orTimeout(10, TimeUnit.SECONDS).join());

        assertEquals(WrongThreadException.class, error.getCause().getClass());
    }

    private static void outside(long offset, Executable action) {
        String message = assertThrows(IndexOutOfBoundsException.class, action).getMessage();
        assertTrue(message.contains(" at " + offset + " exceed the memory of "), message);
    }

    private static void closed(Executable action) {
        String message = assertThrows(IllegalStateException.class, action).getMessage();
        assertEquals("the native scope is closed", message);
    }
}

package dev.varve.api.nativecall;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** On the C library, which is there everywhere. */
class SystemLibraryTest {
    private final SystemLibrary c = SystemLibrary.open("libc.so.6");

    @Test
    void missingLibraryIsReportedWithTheLoaderMessage() {
        String reason = SystemLibrary.whyMissing("libvarve-none.so.9").orElseThrow();

        assertTrue(reason.startsWith("libvarve-none.so.9: cannot open"), reason);
    }

    @Test
    void existingLibraryIsNotReportedAsMissing() {
        assertEquals(Optional.empty(), SystemLibrary.whyMissing("libm.so.6"));
    }

    @Test
    void openingAMissingLibraryNamesItAndTheReason() {
        VarveException error =
                assertThrows(VarveException.class, () -> SystemLibrary.open("libvarve-none.so.9"));

        assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
        assertTrue(
                error.getMessage()
                        .startsWith(
                                "libvarve-none.so.9 cannot be opened: libvarve-none.so.9: cannot"
                                        + " open"),
                error.getMessage());
    }

    @Test
    void fileThatIsNoLibraryIsRefused(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("libtext.so"), "no library");

        VarveException error =
                assertThrows(VarveException.class, () -> SystemLibrary.open(file.toString()));

        assertTrue(error.getMessage().startsWith(file + " cannot be opened: "), error.getMessage());
    }

    @Test
    void missingFunctionIsNamedWithItsLibrary() {
        VarveException error =
                assertThrows(VarveException.class, () -> c.callInt("varve_no_such_function"));

        assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
        assertEquals("libc.so.6: function varve_no_such_function is missing", error.getMessage());
    }

    @Test
    void functionIsLookedUpWithoutACall() {
        assertTrue(c.has("abort"));
        assertFalse(c.has("varve_no_such_function"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, -1, -7, Integer.MAX_VALUE, -Integer.MAX_VALUE})
    void integersArePassedAndReturned(int number) {
        assertEquals(Math.abs(number), c.callInt("abs", NativeArgument.of(number)));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, 1L << 40, -(1L << 62), Long.MAX_VALUE, -Long.MAX_VALUE})
    void longIntegersArePassedAndReturned(long number) {
        assertEquals(Math.abs(number), c.callLong("llabs", NativeArgument.of(number)));
    }

    @Test
    void argumentsBeyondTheRegistersArePassed() {
        try (NativeScope scope = NativeScope.open()) {
            NativeMemory text = scope.allocate(32);
            NativeArgument[] arguments = new NativeArgument[12];
            Arrays.fill(arguments, NativeArgument.of(7));
            arguments[0] = text;
            arguments[1] = NativeArgument.of(32L);
            arguments[2] = scope.text("%d%d%d%d%d%d%d%d%d");
            arguments[10] = NativeArgument.of(-8);
            arguments[11] = NativeArgument.of(9);

            // On x86-64 and AArch64 Linux whole numbers among variable arguments are as others.
            assertEquals(10, c.callInt("snprintf", arguments));
            assertEquals("7777777-89", text.getText(0));
        }
    }

    @Test
    void moreArgumentsAreRefused() {
        NativeArgument[] arguments = new NativeArgument[13];
        Arrays.fill(arguments, NativeArgument.of(0));

        IllegalArgumentException error =
                assertThrows(
                        IllegalArgumentException.class, () -> c.callInt("snprintf", arguments));

        assertEquals("expected at most 12 arguments, found 13", error.getMessage());
    }

    @Test
    void memoryOfAnotherThreadIsRefused() throws InterruptedException {
        try (NativeScope scope = NativeScope.open()) {
            NativeMemory text = scope.text("here");
            CompletableFuture<Long> there =
                    CompletableFuture.supplyAsync(() -> c.callLong("strlen", text));

            ExecutionException error = assertThrows(ExecutionException.class, there::get);

            assertEquals(WrongThreadException.class, error.getCause().getClass());
        }
    }

    @Test
    void memoryIsReadAndWritten() {
        try (NativeScope scope = NativeScope.open()) {
            NativeMemory target = scope.allocate(8);

            NativePointer returned =
                    c.callPointer("memcpy", target, scope.text("strata"), NativeArgument.of(7L));

            assertEquals("strata", target.getText(0));
            assertEquals("ata", target.getText(3));
            assertEquals(3, c.callLong("strlen", scope.text("añ")));
            assertFalse(returned.isNull());
        }
    }

    @Test
    void returnedPointerIsPassedBack() {
        NativePointer block = c.callPointer("calloc", NativeArgument.of(4L), NativeArgument.of(8L));
        try (NativeScope scope = NativeScope.open()) {
            NativeMemory read = scope.allocate(32);
            read.setLong(0, -1);

            c.callPointer("memcpy", read, block, NativeArgument.of(32L));

            assertEquals(0, read.getLong(0));
        } finally {
            c.call("free", block);
        }
    }

    @Test
    void nullTextAndNullPointerAreReported() {
        try (NativeScope scope = NativeScope.open()) {
            NativeMemory name = scope.text("VARVE_VARIABLE_THAT_NOBODY_SETS");

            assertEquals(Optional.empty(), c.callText("getenv", name));
            assertTrue(c.callPointer("getenv", name).isNull());
        }
    }

    @Test
    void freedMemoryIsRefused() {
        NativeScope scope = NativeScope.open();
        NativeMemory freed = scope.text("gone");
        scope.close();

        IllegalStateException error =
                assertThrows(IllegalStateException.class, () -> c.callLong("strlen", freed));

        assertEquals("the native scope is closed", error.getMessage());
    }

    @Test
    void nullIsPassedAsAnArgument() {
        c.call("free", NativePointer.NULL);

        assertTrue(NativePointer.NULL.isNull());
        assertEquals("0x0", NativePointer.NULL.toString());
        assertEquals("libc.so.6", c.toString());
    }
}

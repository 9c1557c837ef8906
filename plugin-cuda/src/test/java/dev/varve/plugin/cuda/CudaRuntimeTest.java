package dev.varve.plugin.cuda;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Optional;

class CudaRuntimeTest {
    @ParameterizedTest
    @CsvSource({
        "libcuda.so.1, driver",
        "libcudart.so.13, cuda-cudart-13-0",
        "libcublas.so.13, LD_LIBRARY_PATH"
    })
    void theMissingLibraryAndItsPackageAreNamed(String missing, String hint) {
        VarveException error =
                assertThrows(
                        VarveException.class,
                        () ->
                                CudaRuntime.require(
                                        library ->
                                                library.equals(missing)
                                                        ? Optional.of(library + ": no such file")
                                                        : Optional.empty()));

        assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
        assertTrue(error.getMessage().startsWith(missing + ": no such file ("), error.getMessage());
        assertTrue(error.getMessage().contains(hint), error.getMessage());
    }

    @Test
    void nothingIsSaidWhereAllIsThere() {
        assertDoesNotThrow(() -> CudaRuntime.require(library -> Optional.empty()));
    }
}

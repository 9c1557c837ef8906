package dev.varve.plugin.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

class CudaLibrariesTest {
    private static final Path PACKAGE = Path.of("/py/nvidia/cu13/lib");

    private final List<String> opened = new ArrayList<>();

    /** Searches where the loader can open these names and paths. */
    private CudaLibraries libraries(Set<String> available, Path... folders) {
        return new CudaLibraries(
                name -> {
                    opened.add(name);
                    return available.contains(name)
                            ? Optional.empty()
                            : Optional.of(name + ": no such file");
                },
                List.of(folders));
    }

    @ParameterizedTest
    @CsvSource({
        "libcuda.so.1, driver",
        "libcudart.so.13, cuda-cudart-13-0",
        "libcublas.so.13, LD_LIBRARY_PATH"
    })
    void missingLibraryAndItsPackageAreNamed(String missing, String hint) {
        Set<String> others =
                new HashSet<>(Set.of("libcuda.so.1", "libcudart.so.13", "libcublas.so.13"));
        others.remove(missing);

        VarveException error =
                assertThrows(
                        VarveException.class, () -> libraries(others, Path.of("/empty")).openAll());

        assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
        assertTrue(error.getMessage().startsWith(missing + ": no such file ("), error.getMessage());
        assertTrue(error.getMessage().contains(hint), error.getMessage());
    }

    @Test
    void noFolderIsSearchedIfTheLoaderFindsAllLibraries() {
        List<Path> files =
                libraries(Set.of("libcuda.so.1", "libcudart.so.13", "libcublas.so.13"), PACKAGE)
                        .openAll();

        assertEquals(List.of(), files);
        assertEquals(List.of("libcuda.so.1", "libcudart.so.13", "libcublas.so.13"), opened);
    }

    @Test
    void packageProvidesLibrariesThatTheLoaderLacks() {
        Path runtime = PACKAGE.resolve("libcudart.so.13");
        Path blas = PACKAGE.resolve("libcublas.so.13");

        List<Path> files =
                libraries(
                                Set.of("libcuda.so.1", runtime.toString(), blas.toString()),
                                Path.of("/empty"),
                                PACKAGE)
                        .openAll();

        assertEquals(List.of(runtime, blas), files);
        assertTrue(
                opened.indexOf(PACKAGE.resolve("libcublasLt.so.13").toString())
                        < opened.indexOf(blas.toString()),
                () -> "the part that cuBLAS needs is opened before it: " + opened);
    }
}

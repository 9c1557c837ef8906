package dev.varve.plugin.hip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.BackendOptions;
import dev.varve.api.ggml.GgmlLibrary;
import dev.varve.api.nativecall.ProcessEnvironment;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Other libraries of ggml stand in for the HIP one, which needs hardware. */
class HipLibraryTest {
    private static final String HIP = "libggml-hip.so";
    private static final String BASE = "libggml-base.so";
    private static final Path NATIVES = Path.of(System.getProperty("varve.test.natives"));

    @TempDir Path home;

    @BeforeAll
    static void loadBase() {
        GgmlLibrary.load(NATIVES);
    }

    @Test
    void missingLibraryNamesTheFoldersAndThePackage() {
        assertEquals(
                "libggml-hip.so was not found in "
                        + home
                        + "; build ggml 0.25.1 with GGML_HIP and GGML_BACKEND_DL, and set the"
                        + " folder of its libraries with --ggml-home or VARVE_GGML_HOME",
                refused(Optional.of(home)));
    }

    @Test
    void withoutAHomeTheSystemFoldersAreSearched() {
        HipLibrary library = search(HipLibrary.SYSTEM.stream().map(home::resolve).toList());
        HipLibrary below = search(List.of(home.resolve("usr/lib"), home.resolve("opt")));

        assertTrue(HipLibrary.SYSTEM.contains(Path.of("/opt/rocm/lib")));
        assertEquals(HipLibrary.SYSTEM, library.folders(), "absolute paths");
        assertTrue(
                assertThrows(VarveException.class, below::require)
                        .getMessage()
                        .contains(home.resolve("usr/lib") + ", " + home.resolve("opt")));
    }

    @Test
    void fileThatIsNoLibraryIsRefused() throws IOException {
        Files.writeString(home.resolve(HIP), "not a library");

        assertEquals(
                home.resolve(HIP) + ": expected a shared library, found another kind of file",
                refused(Optional.of(home)));
    }

    @Test
    void libraryWithoutItsBaseIsRefused() throws IOException {
        link(cpuVariant(), HIP);

        assertEquals(
                home.resolve(HIP)
                        + ": libggml-base.so is missing in the same folder, so its ggml"
                        + " release is unknown; expected 0.25.1",
                refused(Optional.of(home)));
    }

    @Test
    void anotherReleaseIsRefusedWithBothVersions() throws IOException {
        link(cpuVariant(), HIP);
        byte[] base = Files.readAllBytes(NATIVES.resolve(BASE));
        String text = new String(base, StandardCharsets.ISO_8859_1);
        Files.writeString(
                home.resolve(BASE),
                text.replace("\0000.25.1\000", "\0000.99.7\000"),
                StandardCharsets.ISO_8859_1);

        assertEquals(
                home.resolve(HIP) + " belongs to ggml 0.99.7, but this process uses ggml 0.25.1",
                refused(Optional.of(home)));
    }

    @Test
    void baseOfUnknownReleaseIsRefused() throws IOException {
        link(cpuVariant(), HIP);
        Files.writeString(home.resolve(BASE), "nothing");

        assertEquals(
                home.resolve(HIP)
                        + " belongs to ggml of an unknown release, but this process uses ggml"
                        + " 0.25.1",
                refused(Optional.of(home)));
    }

    @Test
    void libraryForAnotherBaseIsRefused() throws IOException {
        byte[] variant = Files.readAllBytes(cpuVariant());
        String text = new String(variant, StandardCharsets.ISO_8859_1);
        Files.writeString(
                home.resolve(HIP),
                text.replace("libggml-base.so\000", "libggml-b_se.so\000"),
                StandardCharsets.ISO_8859_1);
        link(NATIVES.resolve(BASE), BASE);

        assertTrue(
                refused(Optional.of(home))
                        .startsWith(
                                home.resolve(HIP)
                                        + ": it requires no ggml base library, but this process"
                                        + " uses libggml-base.so; set its folder"),
                "the names of both");
    }

    @Test
    void missingDependencyIsNamed() throws IOException {
        link(cpuVariant(), HIP);
        link(NATIVES.resolve(BASE), BASE);
        HipLibrary library =
                new HipLibrary(
                        List.of(home),
                        NATIVES.resolve(BASE),
                        "0.25.1",
                        path -> Optional.of("libamdhip64.so.7: no such file"));

        assertEquals(
                home.resolve(HIP)
                        + " cannot be opened: libamdhip64.so.7: no such file (AMD's ROCm contains"
                        + " the HIP runtime, rocBLAS and hipBLAS; add their folder to"
                        + " LD_LIBRARY_PATH if necessary)",
                assertThrows(VarveException.class, library::require).getMessage());
    }

    @Test
    void nonBackendLibraryIsRefused() throws IOException {
        link(NATIVES.resolve(BASE), HIP);
        link(NATIVES.resolve(BASE), BASE);

        assertTrue(
                refused(Optional.of(home))
                        .startsWith(home.resolve(HIP) + ": the backend cannot be loaded: "));
    }

    @Test
    void libraryWithoutDevicesIsRefusedAndPeerAccessIsPrepared() throws IOException {
        link(cpuVariant(), HIP);
        link(NATIVES.resolve(BASE), BASE);

        VarveException error =
                assertThrows(
                        VarveException.class,
                        () ->
                                new HipBackendProvider()
                                        .open(new BackendOptions(home, Optional.of(home), true)));

        assertEquals(home.resolve(HIP) + " was loaded, but finds no device", error.getMessage());
        assertEquals(Optional.of("1"), ProcessEnvironment.get("GGML_CUDA_P2P"));
    }

    private String refused(Optional<Path> folder) {
        VarveException error =
                assertThrows(
                        VarveException.class,
                        () ->
                                new HipBackendProvider()
                                        .open(new BackendOptions(home, folder, false)));
        assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
        return error.getMessage();
    }

    private static HipLibrary search(List<Path> folders) {
        return new HipLibrary(folders, NATIVES.resolve(BASE), "0.25.1", path -> Optional.empty());
    }

    private void link(Path target, String name) throws IOException {
        Files.createSymbolicLink(home.resolve(name), target);
    }

    private static Path cpuVariant() throws IOException {
        try (DirectoryStream<Path> files =
                Files.newDirectoryStream(NATIVES, "libggml-cpu-sse42.so")) {
            return files.iterator().next();
        }
    }
}

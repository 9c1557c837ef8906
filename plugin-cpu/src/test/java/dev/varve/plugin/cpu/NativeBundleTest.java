package dev.varve.plugin.cpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.NativeBundle;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

class NativeBundleTest {
    private static final String BASE = "libggml-base.so";

    @TempDir Path cache;

    @Test
    void allLibrariesAreUnpackedOnce() throws IOException {
        Path folder =
                new NativeBundle(CpuBackendProvider.class, "cpu", cache.resolve("deep/er"))
                        .unpack();

        List<String> names = names(folder);
        assertTrue(names.contains(BASE), names.toString());
        assertTrue(
                names.stream().anyMatch(name -> name.startsWith("libggml-cpu-")), names.toString());
        FileTime old = FileTime.fromMillis(1_000_000);
        Files.setLastModifiedTime(folder.resolve(BASE), old);
        assertEquals(
                folder,
                new NativeBundle(CpuBackendProvider.class, "cpu", cache.resolve("deep/er"))
                        .unpack());
        assertEquals(
                old, Files.getLastModifiedTime(folder.resolve(BASE)), "nothing is written again");
        assertEquals(
                List.of(folder.getFileName().toString()),
                names(folder.getParent()),
                "nothing is left over");
    }

    @Test
    void damagedAndMissingFilesAreReplaced() throws IOException {
        Path folder = new NativeBundle(CpuBackendProvider.class, "cpu", cache).unpack();
        byte[] whole = Files.readAllBytes(folder.resolve(BASE));
        Path other =
                folder.resolve(
                        names(folder).stream()
                                .filter(name -> name.contains("cpu"))
                                .findFirst()
                                .orElseThrow());
        Files.write(folder.resolve(BASE), new byte[] {1, 2, 3});
        Files.delete(other);

        assertEquals(folder, new NativeBundle(CpuBackendProvider.class, "cpu", cache).unpack());

        assertArrayEquals(whole, Files.readAllBytes(folder.resolve(BASE)));
        assertTrue(Files.size(other) > 0);
        assertEquals(1, names(cache).size(), "nothing is left over");
    }

    @Test
    void severalProcessesMayUnpackConcurrently() throws Exception {
        int count = 3;
        CyclicBarrier start = new CyclicBarrier(count);
        List<Future<Path>> unpacked = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(count)) {
            for (int i = 0; i < count; i++) {
                unpacked.add(
                        threads.submit(
                                () -> {
                                    start.await(1, TimeUnit.MINUTES);
                                    return new NativeBundle(CpuBackendProvider.class, "cpu", cache)
                                            .unpack();
                                }));
            }
        }

        for (Future<Path> folder : unpacked) {
            assertEquals(unpacked.getFirst().get(), folder.get());
        }
        assertEquals(1, names(cache).size(), "nothing is left over");
    }

    @Test
    void unwritableCacheFolderIsNamed() throws IOException {
        Path file = Files.createFile(cache.resolve("file"));

        VarveException error =
                assertThrows(
                        VarveException.class,
                        () ->
                                new NativeBundle(
                                                CpuBackendProvider.class,
                                                "cpu",
                                                file.resolve("inside"))
                                        .unpack());

        assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
        assertTrue(
                error.getMessage()
                        .contains(
                                file.resolve("inside") + ": the ggml libraries cannot be unpacked"),
                error.getMessage());
    }

    @Test
    void fileInPlaceOfTheFolderIsAnErrorAndIsKept() throws IOException {
        Path folder = new NativeBundle(CpuBackendProvider.class, "cpu", cache).unpack();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
        Files.writeString(folder, "mine");

        VarveException error =
                assertThrows(
                        VarveException.class,
                        () -> new NativeBundle(CpuBackendProvider.class, "cpu", cache).unpack());

        assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
        assertEquals("mine", Files.readString(folder));
        assertEquals(1, names(cache).size(), "nothing is left over");
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}

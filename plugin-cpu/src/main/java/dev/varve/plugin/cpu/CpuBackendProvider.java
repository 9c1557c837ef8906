package dev.varve.plugin.cpu;

import dev.varve.api.VarveException;
import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.DeviceBackend;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.backend.NativeBundle;
import dev.varve.api.ggml.GgmlDevice;
import dev.varve.api.ggml.GgmlLibrary;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Finds the processor. */
public final class CpuBackendProvider implements DeviceBackendProvider {
    /** Called by the service loader. */
    public CpuBackendProvider() {}

    @Override
    public String name() {
        return "cpu";
    }

    @Override
    public String ggmlVersion() {
        return GgmlLibrary.EXPECTED_VERSION;
    }

    @Override
    public DeviceBackend open(BackendOptions options) {
        requirePlatform(System.getProperty("os.name"), System.getProperty("os.arch"));
        Path libraries =
                options.ggmlHome()
                        .orElseGet(
                                () ->
                                        new NativeBundle(
                                                        CpuBackendProvider.class,
                                                        "cpu",
                                                        options.cacheFolder())
                                                .unpack());
        GgmlLibrary.load(libraries);
        if (findCpu() == null) {
            loadVariants(libraries, options);
        }
        GgmlDevice cpu = findCpu();
        if (cpu == null) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    libraries + ": no libggml-cpu-*.so in this folder runs on this processor");
        }
        Path kernels =
                new NativeBundle(CpuBackendProvider.class, "kernels", options.cacheFolder())
                        .unpack()
                        .resolve(Kernels.LIBRARY);
        return new CpuBackend(cpu, kernels);
    }

    /**
     * Loads the CPU variants only: ggml would load every backend of the folder, and the others
     * belong to their own plugins.
     */
    private static void loadVariants(Path libraries, BackendOptions options) {
        if (options.ggmlHome().isEmpty()) {
            GgmlLibrary.loadBackendsFrom(libraries);
            return;
        }
        try {
            Files.createDirectories(options.cacheFolder());
            Path links = Files.createTempDirectory(options.cacheFolder(), "ggml-home");
            try {
                link(libraries, links);
                GgmlLibrary.loadBackendsFrom(links);
            } finally {
                delete(links);
            }
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    options.cacheFolder()
                            + ": cannot create links to "
                            + libraries
                            + ": "
                            + e
                            + "; set VARVE_CACHE to a folder of your own",
                    e);
        }
    }

    private static void link(Path libraries, Path links) throws IOException {
        try (DirectoryStream<Path> variants =
                Files.newDirectoryStream(libraries, "libggml-cpu{.so,-*.so}")) {
            for (Path variant : variants) {
                Files.createSymbolicLink(
                        links.resolve(variant.getFileName()), variant.toAbsolutePath());
            }
        }
    }

    private static void delete(Path links) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(links)) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
        Files.delete(links);
    }

    private static GgmlDevice findCpu() {
        return GgmlDevice.all().stream()
                .filter(device -> device.kind() == GgmlDevice.Kind.CPU)
                .findFirst()
                .orElse(null);
    }

    static void requirePlatform(String system, String architecture) {
        boolean supported =
                system.toLowerCase(Locale.ROOT).contains("linux")
                        && (architecture.equals("amd64") || architecture.equals("x86_64"));
        if (!supported) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    "the packed ggml libraries support Linux on x86-64; found "
                            + system
                            + " on "
                            + architecture);
        }
    }
}

package dev.varve.testkit;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The folder of the native libraries and the libraries in it, opened once per process and never
 * closed.
 */
@SuppressWarnings("restricted")
final class NativeFolder {
    /** System property that names the folder. */
    static final String PROPERTY = "varve.test.natives";

    private static final Path FOLDER = locate();

    /**
     * {@code libggml-base.so}: operators, quantisation, device and registry accessors that need no
     * registry state.
     */
    static final SymbolLookup BASE = open("libggml-base.so");

    /** The device registry. */
    static final SymbolLookup REGISTRY = open("libggml.v0.5.0.so");

    private NativeFolder() {}

    static Path path() {
        return FOLDER;
    }

    static SymbolLookup open(String file) {
        return SymbolLookup.libraryLookup(FOLDER.resolve(file), Arena.global());
    }

    static MethodHandle bind(SymbolLookup library, String name, FunctionDescriptor descriptor) {
        MemorySegment address =
                library.find(name)
                        .orElseThrow(
                                () -> new UnsatisfiedLinkError(FOLDER + ": no function " + name));
        return Linker.nativeLinker().downcallHandle(address, descriptor);
    }

    private static Path locate() {
        String property = System.getProperty(PROPERTY);
        if (property == null || !Files.isRegularFile(Path.of(property, "libggml-base.so"))) {
            throw new IllegalStateException(
                    "system property "
                            + PROPERTY
                            + ": expected a folder with libggml-base.so, found "
                            + property);
        }
        return Path.of(property).toAbsolutePath().normalize();
    }
}

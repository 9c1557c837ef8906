package dev.varve.api.ggml;

import static dev.varve.api.ggml.Native.C_POINTER;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.Pointer.RegistryPtr;
import dev.varve.api.nativecall.LoaderMessage;
import dev.varve.api.nativecall.SystemLibrary;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

/**
 * The loaded ggml libraries of this process: one base library and one registry, never unloaded.
 * Every other class of this package may be used only after {@link #load}.
 */
public final class GgmlLibrary {
    /** The ggml release that this binding was written for. */
    public static final String EXPECTED_VERSION = "0.25.1";

    private static final String BASE = "libggml-base.so";

    private static Path folder;
    private static SymbolLookup symbols;
    private static boolean usable;

    private GgmlLibrary() {}

    /**
     * Loads base and registry from a folder, checks their release and the layout of their structs,
     * and routes log and abort messages. Does nothing if the same folder is loaded already.
     *
     * @throws VarveException of kind UNAVAILABLE if a file or function is missing, the release is
     *     another one, or another folder was loaded before
     */
    public static synchronized void load(Path libraries) {
        Path absolute = libraries.toAbsolutePath().normalize();
        if (symbols != null) {
            if (!absolute.equals(folder)) {
                throw unavailable(
                        "ggml was loaded from "
                                + folder
                                + " already; a process holds one base library",
                        null);
            }
            if (!usable) {
                throw unavailable(
                        folder
                                + ": loading ggml failed before; start again with another build of"
                                + " it",
                        null);
            }
            return;
        }
        // Unloaded again if it is not the expected release: a second base library would share its
        // file name.
        Arena arena = Arena.ofShared();
        try {
            SymbolLookup base = open(absolute.resolve(BASE), arena);
            requireVersion(versionOf(base, absolute.resolve(BASE)));
            symbols = base.or(open(registryFile(absolute), arena));
        } catch (RuntimeException | Error e) {
            arena.close();
            throw e;
        }
        folder = absolute;
        try {
            // Linking functions takes most of the time of loading.
            CompletableFuture<Void> operators = CompletableFuture.runAsync(OpsApi::link);
            NativeMessages.install();
            BackendApi.link();
            operators.join();
            AbiSelfTest.run();
            usable = true;
        } catch (ExceptionInInitializerError | CompletionException e) {
            throw linkFailure(e);
        }
    }

    /** Unwraps the exception that names the missing function. */
    private static RuntimeException linkFailure(Throwable failure) {
        Throwable reason = failure;
        while (reason instanceof CompletionException
                || reason instanceof ExceptionInInitializerError) {
            reason = reason.getCause();
        }
        if (reason instanceof VarveException known) {
            return known;
        }
        return new IllegalStateException("ggml cannot be linked", failure);
    }

    /** Returns whether {@link #load} succeeded. */
    public static synchronized boolean isLoaded() {
        return usable;
    }

    /**
     * The base library of this process.
     *
     * @throws VarveException of kind UNAVAILABLE if none is loaded
     */
    public static synchronized Path baseFile() {
        if (!usable) {
            throw unavailable(
                    "ggml's base library is not loaded; the CPU backend provides it", null);
        }
        return folder.resolve(BASE);
    }

    /** Release of the loaded library, such as {@code 0.25.1}. */
    public static String version() {
        return CoreApi.version();
    }

    /** Source revision of the loaded library. */
    public static String commit() {
        return CoreApi.commit();
    }

    /** Registers the best variant of each backend in a folder; for the CPU folder only. */
    public static synchronized void loadBackendsFrom(Path absoluteFolder) {
        try (Arena arena = Arena.ofConfined()) {
            BackendApi.loadAllFromPath(
                    arena.allocateFrom(absoluteFolder.toAbsolutePath().toString()));
        }
    }

    /**
     * Registers the backend in one file.
     *
     * @throws VarveException of kind UNAVAILABLE if it cannot be loaded; ggml's log says why
     */
    public static synchronized void loadBackend(Path file) {
        NativeMessages.forgetError();
        try (Arena arena = Arena.ofConfined()) {
            RegistryPtr loaded =
                    BackendApi.load(arena.allocateFrom(file.toAbsolutePath().toString()));
            if (loaded.isNull()) {
                throw unavailable(
                        file
                                + ": the backend cannot be loaded: "
                                + LoaderMessage.explain(NativeMessages.lastError()),
                        null);
            }
        }
    }

    /** Sets the current activity, for the message in case ggml aborts the process. */
    public static void context(String what) {
        NativeMessages.context(what);
    }

    /**
     * Checks that the release is the expected one: struct layouts and enum values differ between
     * releases.
     */
    static void requireVersion(String found) {
        if (!found.equals(EXPECTED_VERSION)) {
            throw unavailable(
                    "ggml "
                            + found
                            + " was found, but this build of Varve needs ggml "
                            + EXPECTED_VERSION,
                    null);
        }
    }

    static MemorySegment symbol(String name) {
        if (symbols == null) {
            throw new IllegalStateException("ggml is not loaded");
        }
        return symbols.find(name)
                .orElseThrow(
                        () ->
                                unavailable(
                                        "function " + name + " is missing from the ggml libraries",
                                        null));
    }

    static VarveException unavailable(String message, Throwable cause) {
        return new VarveException(VarveException.Kind.UNAVAILABLE, message, cause);
    }

    private static String versionOf(SymbolLookup base, Path file) {
        MemorySegment function =
                base.find("ggml_version")
                        .orElseThrow(
                                () ->
                                        unavailable(
                                                file + ": function ggml_version is missing", null));
        MethodHandle version = Native.bindPointer(function, Native.returns(C_POINTER));
        return Native.string(MemorySegment.ofAddress(NativeCall.call(version)));
    }

    @SuppressWarnings("restricted")
    private static SymbolLookup open(Path file, Arena arena) {
        if (!Files.isRegularFile(file)) {
            throw unavailable(file + ": the library is missing", null);
        }
        try {
            return SymbolLookup.libraryLookup(file, arena);
        } catch (IllegalArgumentException e) {
            throw unavailable(
                    file
                            + ": the library cannot be loaded: "
                            + SystemLibrary.whyMissing(file.toString())
                                    .map(LoaderMessage::explain)
                                    .orElse("unknown reason"),
                    e);
        }
    }

    /** Returns the registry's file, whose name may include a release: {@code libggml.v0.5.0.so}. */
    private static Path registryFile(Path libraries) {
        try (Stream<Path> files = Files.list(libraries)) {
            List<Path> found =
                    files.filter(
                                    file ->
                                            file.getFileName()
                                                    .toString()
                                                    .matches("libggml(\\..*)?\\.so"))
                            .sorted()
                            .toList();
            if (found.size() != 1) {
                throw unavailable(
                        libraries + ": expected one registry library libggml*.so, found " + found,
                        null);
            }
            return found.getFirst();
        } catch (IOException e) {
            throw unavailable(libraries + ": the folder of the ggml libraries cannot be read", e);
        }
    }
}

package dev.varve.contracts;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.api.ggml.GgmlLibrary;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Finds ggml's libraries for the tests. */
final class GgmlFolder {
    /** System property: folder with {@code libggml-base.so} and the libraries beside it. */
    static final String PROPERTY = "varve.test.natives";

    private GgmlFolder() {}

    /** Returns the folder; empty if the property is not set or the folder does not exist. */
    static Optional<Path> find() {
        return Optional.ofNullable(System.getProperty(PROPERTY))
                .map(Path::of)
                .filter(Files::isDirectory);
    }

    /** Loads ggml's base library, or skips the test. */
    static void loadBase() {
        Optional<Path> folder = find();
        assumeTrue(
                folder.isPresent(),
                () ->
                        "no ggml here: -D"
                                + PROPERTY
                                + " names the folder of libggml-base.so, found "
                                + System.getProperty(PROPERTY));
        if (!GgmlLibrary.isLoaded()) {
            GgmlLibrary.load(folder.orElseThrow());
        }
    }
}

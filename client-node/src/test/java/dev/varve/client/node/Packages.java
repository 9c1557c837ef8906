package dev.varve.client.node;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;

/** Folders with packages that the build fetched with npm. */
enum Packages {
    CLIENTS("node"),
    AGENTS("agents");

    private final Path folder;

    Packages(String name) {
        folder =
                Path.of(System.getProperty("varve.test.root"), "client-node", "src", "test")
                        .resolve(name);
    }

    /** The folder of the packages. Skips the test if the build fetched none. */
    Path require() {
        assumeTrue(
                Files.exists(folder.resolve("node_modules").resolve(".varve-stamp")),
                "nothing was fetched into " + folder + ": see the output of client-node/fetch.sh");
        return folder;
    }
}

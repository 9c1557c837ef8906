package dev.varve.embedded;

import java.nio.file.Path;

/** The demo models of the repository. */
final class DemoModels {
    static final Path QWEN35 = file("qwen35");

    private DemoModels() {}

    private static Path file(String family) {
        return Path.of(
                System.getProperty("varve.test.root"),
                "tools",
                "demo-models",
                "models",
                "varve-demo-" + family + ".gguf");
    }

    /**
     * Returns options for reproducible responses of a short context. All tests have one folder of
     * libraries: a process loads them once.
     */
    static VarveOptions options() {
        return VarveOptions.DEFAULT
                .withCacheFolder(Path.of("target", "varve-cache").toAbsolutePath())
                .withContextTokens(1024)
                .withThreads(1)
                .withSampling(Sampling.DEFAULT.temperature(0));
    }
}

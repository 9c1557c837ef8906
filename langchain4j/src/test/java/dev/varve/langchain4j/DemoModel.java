package dev.varve.langchain4j;

import dev.varve.embedded.Isolation;
import dev.varve.embedded.Sampling;
import dev.varve.embedded.Varve;
import dev.varve.embedded.VarveOptions;

import java.nio.file.Path;

/** A demo model of the repository. */
final class DemoModel {
    private DemoModel() {}

    static Varve open(Isolation isolation) {
        Path file =
                Path.of(
                        System.getProperty("varve.test.root"),
                        "tools/demo-models/models/varve-demo-qwen35.gguf");
        return Varve.open(
                file,
                VarveOptions.DEFAULT
                        .withCacheFolder(Path.of("target", "varve-cache").toAbsolutePath())
                        .withContextTokens(1024)
                        .withThreads(1)
                        .withIsolation(isolation)
                        .withSampling(Sampling.DEFAULT.temperature(0)));
    }
}

package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.testkit.Effort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The demo models of an installation. The first one is served where none is asked for. */
enum DemoFamily {
    QWEN35(
            Map.of(
                    "feature", 0.9, "sum", 0.8, "json", 0.9, "needle", 0.8, "tool", 0.8, "fact",
                    0.8, "recall", 0.8)),
    GEMMA4(
            Map.of(
                    "feature", 0.9, "sum", 0.8, "json", 0.8, "needle", 0.75, "tool", 0.8, "fact",
                    0.8, "recall", 0.8)),
    LAGUNA(
            Map.of(
                    "feature", 0.9, "sum", 0.8, "json", 0.85, "needle", 0.75, "tool", 0.8, "fact",
                    0.8, "recall", 0.8));

    /** Kinds of questions, and which share of each must be answered rightly. */
    private final Map<String, Double> least;

    DemoFamily(Map<String, Double> least) {
        this.least = least;
    }

    /** Kinds of questions, and which share of each must be answered rightly. */
    Map<String, Double> least() {
        return least;
    }

    /**
     * Kinds of questions that it is asked: all at night, and two by day, since answers to a
     * thousand questions take minutes and models seldom change.
     */
    Set<String> asked() {
        return Effort.isFull() ? least.keySet() : Set.of("feature", "tool");
    }

    /** The folder that holds the built models and their questions. */
    static final Path SOURCE =
            Path.of(System.getProperty("varve.test.root"), "tools", "demo-models");

    /** The name of the model in the API. */
    String model() {
        return "varve-demo-" + family();
    }

    /** The reference of the model for {@code --model}. */
    String reference() {
        return "demo:" + family();
    }

    /** Skips the test where the model was not made; fails if it was and is not installed. */
    void requireInstalled() {
        Path made = SOURCE.resolve("models").resolve(model() + ".gguf");
        assumeTrue(Files.exists(made), () -> "no demo model " + made);
        Path installed = Varve.INSTALLATION.resolve("models").resolve(model() + ".gguf");
        assertTrue(Files.exists(installed), "not in the installation: " + installed);
    }

    /** A server as a newcomer starts it, or with the model named. */
    Varve.Server serve(Varve varve) throws IOException {
        requireInstalled();
        return this == QWEN35 ? varve.serve() : varve.serve("--model", reference());
    }

    private String family() {
        return name().toLowerCase(Locale.ROOT);
    }
}

package dev.varve.platform.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** A small trained model of the installation, one for each model family. */
enum DemoModel {
    QWEN35,
    GEMMA4,
    LAGUNA;

    /** What is used where no model is named. */
    static final DemoModel DEFAULT = QWEN35;

    /** Names the default; the others follow a colon. */
    static final String PREFIX = "demo";

    /** What {@code --model} calls it, such as {@code demo:qwen35}. */
    String reference() {
        return PREFIX + ":" + family();
    }

    /** Where an installation has it. */
    Path file(Environment environment) {
        return environment.modelsFolder().resolve("varve-demo-" + family() + ".gguf");
    }

    /** The draft model that was trained for it; empty where the installation lacks it. */
    Optional<Path> draft(Environment environment) {
        return Optional.of(
                        environment
                                .modelsFolder()
                                .resolve("varve-demo-" + family() + "-draft.gguf"))
                .filter(Files::exists);
    }

    /** The model of a family, such as {@code qwen35}. */
    static Optional<DemoModel> ofFamily(String family) {
        return Arrays.stream(values()).filter(each -> each.family().equals(family)).findFirst();
    }

    /** All references, for messages. */
    static String references() {
        return Arrays.stream(values()).map(DemoModel::reference).collect(Collectors.joining(", "));
    }

    private String family() {
        return name().toLowerCase(Locale.ROOT);
    }
}

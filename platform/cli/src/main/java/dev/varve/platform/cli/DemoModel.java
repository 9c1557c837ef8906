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

    /** Model that is used where none is named. */
    static final DemoModel DEFAULT = QWEN35;

    /** Reference to the default model; for others a colon and the family follow. */
    static final String PREFIX = "demo";

    /** Reference for {@code --model}, such as {@code demo:qwen35}. */
    String reference() {
        return PREFIX + ":" + family();
    }

    /** File of this model in an installation. */
    Path file(Environment environment) {
        return environment.modelsFolder().resolve("varve-demo-" + family() + ".gguf");
    }

    /** The draft model that was trained for it; empty where the installation lacks it. */
    Optional<Path> draft(Environment environment) {
        return companion(environment, "-draft");
    }

    /** The projector with which it reads images; empty where the installation lacks it. */
    Optional<Path> projector(Environment environment) {
        return companion(environment, "-mmproj");
    }

    private Optional<Path> companion(Environment environment, String kind) {
        return Optional.of(
                        environment
                                .modelsFolder()
                                .resolve("varve-demo-" + family() + kind + ".gguf"))
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
